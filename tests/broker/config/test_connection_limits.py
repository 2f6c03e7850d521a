"""Which limits of connections may become 0."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config import Config, parse_config
from broker.config.connection_limits import check_connection_limits
from protocol.errors import ErrorCode

PER_IP = "max.connections.per.ip"
OVERRIDES = "max.connections.per.ip.overrides"
CONFIG_EXCEPTION = (
    "Invalid value org.apache.kafka.common.config.ConfigException: Invalid {} 0 for configuration "
    "Invalid dynamic configuration"
)
ALLOWED = (ErrorCode.NONE, None)


def _refusal(config: Config, changed: dict[str, str]) -> tuple[ErrorCode, str | None]:
    """The code and message of the refusal of a change for one node; NONE if it is allowed."""
    try:
        check_connection_limits(config, changed, changed, {})
    except ApiError as error:
        return error.code, error.message
    return ALLOWED


@pytest.mark.parametrize("key", ["max.connections", "max.connection.creation.rate"])
@pytest.mark.parametrize("prefix", ["", "listener.name.plaintext."])
def test_a_limit_cannot_become_0(key: str, prefix: str) -> None:
    """The message is that of Kafka 4.3.1."""
    assert _refusal(Config(), {f"{prefix}{key}": "0"}) == (
        ErrorCode.INVALID_REQUEST,
        CONFIG_EXCEPTION.format(key),
    )
    assert _refusal(Config(), {f"{prefix}{key}": "1"}) == ALLOWED


@pytest.mark.parametrize("listener", ["other", "PLAINTEXT"])
def test_the_limit_of_an_unknown_listener_may_be_0(listener: str) -> None:
    """It applies to no connection; names of listeners are in lower case."""
    assert _refusal(Config(), {f"listener.name.{listener}.max.connections": "0"}) == ALLOWED


def test_the_limit_of_addresses_may_be_0_beside_exceptions() -> None:
    """The message is that of Kafka 4.3.1."""
    given = parse_config({OVERRIDES: "127.0.0.1:3"})

    assert _refusal(given, {PER_IP: "0"}) == ALLOWED
    assert _refusal(Config(), {PER_IP: "0", OVERRIDES: "127.0.0.1:3"}) == ALLOWED
    assert _refusal(Config(), {PER_IP: "0"}) == (
        ErrorCode.INVALID_REQUEST,
        f"requirement failed: {PER_IP} can be set to zero only if {OVERRIDES} property is set.",
    )
