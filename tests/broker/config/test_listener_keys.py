"""Names of keys of listeners and mechanisms: `broker.config.listener_keys`."""

from __future__ import annotations

import pytest

from broker.config.listener_keys import applies_to_listeners, listener_names, split_listener_key
from broker.config.table import KEYS


@pytest.mark.parametrize(
    ("name", "owner", "key"),
    [
        ("listener.name.internal.ssl.keystore.location", "internal", "ssl.keystore.location"),
        ("listener.name.internal.plain.sasl.jaas.config", "internal.plain", "sasl.jaas.config"),
        ("listener.name.a.b.max.connections", "a.b", "max.connections"),
    ],
)
def test_a_name_is_split_into_its_owner_and_a_known_key(name: str, owner: str, key: str) -> None:
    """The key is the longest known end of the name."""
    assert split_listener_key(name, KEYS) == (owner, key)


@pytest.mark.parametrize("name", ["max.connections", "listener.name.a", "listener.name.a.b.c"])
def test_other_names_are_not_those_of_listeners(name: str) -> None:
    """They have no prefix, or no known key."""
    assert split_listener_key(name, KEYS) is None


def test_names_begin_with_the_most_specific_one() -> None:
    """The mechanism's value precedes the listener's."""
    assert listener_names("INT", "sasl.jaas.config", "SCRAM-SHA-256") == (
        "listener.name.int.scram-sha-256.sasl.jaas.config",
        "listener.name.int.sasl.jaas.config",
    )


def test_keys_that_do_not_apply_to_mechanisms_have_one_name() -> None:
    """TLS settings apply to a listener."""
    assert listener_names("INT", "ssl.client.auth", "PLAIN") == (
        "listener.name.int.ssl.client.auth",
    )


def test_keys_of_the_broker_do_not_apply_to_listeners() -> None:
    """The directory of the logs is one setting of the broker."""
    assert applies_to_listeners("max.connections")
    assert applies_to_listeners("ssl.client.auth")
    assert not applies_to_listeners("log.dirs")
