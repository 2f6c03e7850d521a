"""One listener by --host, --port and --advertise: `broker.command_line.short_form`."""

from __future__ import annotations

import pytest

from broker.command_line.arguments import parse_arguments
from broker.command_line.short_form import config_of
from broker.common.errors import StartupError


@pytest.mark.parametrize(
    ("arguments", "listeners", "advertised"),
    [
        ("", "PLAINTEXT://127.0.0.1:9092", "PLAINTEXT://127.0.0.1:0"),
        ("--host 0.0.0.0 --port 0", "PLAINTEXT://0.0.0.0:0", "PLAINTEXT://127.0.0.1:0"),
        ("--host ::1 --advertise h:5", "PLAINTEXT://[::1]:9092", "PLAINTEXT://h:5"),
    ],
)
def test_the_options_are_one_listener(arguments: str, listeners: str, advertised: str) -> None:
    """Port 0 of the advertised address is the bound port."""
    config = config_of(parse_arguments(arguments.split()))

    assert config.listeners == (listeners,)
    assert config.advertised_listeners == (advertised,)


def test_listeners_of_the_configuration_replace_the_options() -> None:
    """Port 0, which the handle always gives, is no address."""
    options = parse_arguments(["--port", "0", "-c", "listeners=SSL://:9093"])

    assert config_of(options).listeners == ("SSL://:9093",)


@pytest.mark.parametrize("option", ["--host h", "--port 9093", "--advertise h"])
def test_an_address_in_both_forms_is_refused(option: str) -> None:
    """The message names the option and the key."""
    with pytest.raises(StartupError, match=f"{option.split()[0]}: listeners is set too"):
        parse_arguments([*option.split(), "-c", "listeners=PLAINTEXT://:9093"])
