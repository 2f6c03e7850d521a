"""The settings of a node that come from other command line options."""

from __future__ import annotations

from pathlib import Path

from broker.config.node_settings import listener_entry, node_settings
from broker.config.table import KEYS


def test_settings_are_valid_values_of_kafkas_keys() -> None:
    """Each key is declared, and its kind accepts the value."""
    settings = node_settings(
        3,
        {"INT": ("0.0.0.0", 9094), "EXT": ("::1", 9096)},
        {"INT": ("kafka.example", 19094)},
        [Path("/a"), Path("/b")],
    )

    assert settings == {
        "process.roles": "broker,controller",
        "node.id": "3",
        "broker.id": "3",
        "listeners": "INT://0.0.0.0:9094,EXT://[::1]:9096",
        "advertised.listeners": "INT://kafka.example:19094",
        "log.dirs": "/a,/b",
    }
    for name, text in settings.items():
        assert KEYS[name].kind.parse(text) is not None


def test_an_ipv6_address_is_in_brackets() -> None:
    """Brackets separate its colons from that of the port, as in a URL."""
    assert listener_entry("PLAINTEXT", "::1", 9092) == "PLAINTEXT://[::1]:9092"
