"""Warnings for settings without effect: `broker.command_line.unused_settings`."""

from __future__ import annotations

import pytest

from broker.command_line.arguments import parse_arguments
from broker.command_line.unused_settings import unused_settings
from broker.config import ConfigError

SASL = "plain.sasl.jaas.config"
LINE = "org.apache.kafka.common.security.plain.PlainLoginModule required;"
PROTOCOLS = "listener.security.protocol.map=IN:PLAINTEXT,OUT:PLAINTEXT"
INTER_BROKER = "inter.broker.listener.name=IN"


def warnings(*settings: str) -> list[str]:
    """The warnings for settings ``KEY=VALUE``."""
    words = [word for setting in settings for word in ("-c", setting)]
    return list(unused_settings(parse_arguments(words)))


def test_a_key_without_effect_has_a_warning() -> None:
    """It has the reason, also with the prefix of a listener."""
    assert warnings("num.io.threads=2", "num.partitions=2") == [
        "num.io.threads is set, but has no effect: one thread serves all requests"
    ]


@pytest.mark.parametrize("key", ["max.connections=5", f"{SASL}={LINE}"])
def test_a_key_of_an_unknown_listener_has_a_warning(key: str) -> None:
    """Kafka ignores such a key; the line names the listeners that exist."""
    name = f"listener.name.foo.{key.partition('=')[0]}"

    assert warnings(
        "listeners=IN://:1,OUT://:2", PROTOCOLS, INTER_BROKER, f"listener.name.foo.{key}"
    ) == [f"{name} is set, but has no effect: the listeners are IN, OUT"]


@pytest.mark.parametrize("key", ["max.connections=5", f"{SASL}={LINE}"])
def test_a_key_of_a_listener_has_no_warning(key: str) -> None:
    """The prefix is in lower case."""
    assert warnings("listeners=IN://:1", PROTOCOLS, INTER_BROKER, f"listener.name.in.{key}") == []


def test_the_listener_of_the_short_form_is_known() -> None:
    """Without ``listeners`` it is PLAINTEXT."""
    assert warnings("listener.name.plaintext.max.connections=5") == []
    assert len(warnings("listener.name.ssl.max.connections=5")) == 1


def test_invalid_listeners_are_refused() -> None:
    """They are read here first."""
    with pytest.raises(ConfigError, match="IN has no security protocol"):
        warnings("listeners=IN://:1")


@pytest.mark.parametrize(
    "option", ["--user=alice:secret", "--add-scram=SCRAM-SHA-256=[name=a,password=p]"]
)
def test_users_without_a_listener_with_sasl_have_a_warning(option: str) -> None:
    """A client with a password gets only errors there."""
    words = "users are stored, but no client can log in: no listener uses SASL"
    protocols = "listener.security.protocol.map=IN:SASL_PLAINTEXT"
    with_sasl = ["-c", "listeners=IN://:1", "-c", protocols, "-c", INTER_BROKER]

    assert list(unused_settings(parse_arguments([option]))) == [words]
    assert words not in list(unused_settings(parse_arguments([option, *with_sasl])))
