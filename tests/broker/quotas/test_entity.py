"""Entities and their quotas; errors are those of Kafka 4.3.1."""

from __future__ import annotations

from math import inf

import pytest

from broker.common.errors import ApiError
from broker.quotas.entity import Entity, altered, entity_of
from protocol.errors import ErrorCode

CLIENT = entity_of([("client-id", "a")])
ADDRESS = entity_of([("ip", "192.0.2.1")])


def test_the_order_of_types_does_not_matter() -> None:
    """Types are sorted, and the last name of a type applies."""
    named = [("user", "x"), ("client-id", None), ("user", "y")]

    assert entity_of(named) == (("client-id", None), ("user", "y"))
    assert entity_of(named) == entity_of(reversed(named[1:]))


@pytest.mark.parametrize(
    ("named", "key", "value"),
    [
        ([("client-id", "a")], "producer_byte_rate", 1000.0),
        ([("client-id", "a")], "consumer_byte_rate", 10.0000001),
        ([("client-id", "a")], "consumer_byte_rate", 2.0**63),
        ([("client-id", "a"), ("user", "u")], "request_percentage", 12.5),
        ([("user", None)], "request_percentage", inf),
        ([("user", "u")], "controller_mutation_rate", 0.5),
        ([("ip", "192.0.2.1")], "connection_creation_rate", 1.0),
        ([("ip", "2001:db8::1")], "connection_creation_rate", 1.0),
        ([("ip", "localhost")], "connection_creation_rate", 1.0),
        ([("ip", None)], "connection_creation_rate", 1.0),
    ],
)
def test_valid_quotas(named: list[tuple[str, str | None]], key: str, value: float) -> None:
    """Byte rates are integers, or nearly so; percentages and mutation rates need not be."""
    assert altered(entity_of(named), {}, {key: value}) == {key: value}


def test_one_quota_is_altered_and_the_others_stay() -> None:
    """None removes a quota, including a missing or unknown one."""
    before = {"producer_byte_rate": 1.0, "consumer_byte_rate": 2.0}
    changes = {"producer_byte_rate": 3.0, "consumer_byte_rate": None, "no_such_rate": None}

    assert altered(CLIENT, before, changes) == {"producer_byte_rate": 3.0}
    assert before == {"producer_byte_rate": 1.0, "consumer_byte_rate": 2.0}


@pytest.mark.parametrize(
    ("entity", "key", "value", "message"),
    [
        (CLIENT, "x", 1.0, "Invalid configuration key x"),
        (
            CLIENT,
            "connection_creation_rate",
            1.0,
            "Invalid configuration key connection_creation_rate",
        ),
        (ADDRESS, "producer_byte_rate", 1.0, "Invalid configuration key producer_byte_rate"),
        (CLIENT, "producer_byte_rate", 0.0, "Quota producer_byte_rate must be greater than 0"),
        (CLIENT, "producer_byte_rate", -1.0, "Quota producer_byte_rate must be greater than 0"),
        (CLIENT, "producer_byte_rate", 10.5, "producer_byte_rate cannot be a fractional value."),
        (
            CLIENT,
            "producer_byte_rate",
            inf,
            "Proposed value for producer_byte_rate is too large for a LONG.",
        ),
        (
            ADDRESS,
            "connection_creation_rate",
            1e10,
            "Proposed value for connection_creation_rate is too large for an INT.",
        ),
        ((), "producer_byte_rate", 1.0, "Invalid empty client quota entity"),
        ((("group", "g"),), "x", 1.0, "Unhandled client quota entity type: group"),
        ((("client-id", ""),), "x", 1.0, "Empty client-id not supported"),
        ((("ip", "no ip"),), "x", 1.0, "no ip is not a valid IP or resolvable host."),
        (
            (("ip", "192.0.2.1"), ("user", "x")),
            "connection_creation_rate",
            1.0,
            (
                "Invalid quota entity combination, IP entity shouldnot be combined with User or "
                "ClientId"
            ),
        ),
    ],
)
def test_invalid_quotas(entity: Entity, key: str, value: float, message: str) -> None:
    """Codes and messages are Kafka's."""
    with pytest.raises(ApiError) as refusal:
        altered(entity, {}, {key: value})

    assert (refusal.value.code, refusal.value.message) == (ErrorCode.INVALID_REQUEST, message)


@pytest.mark.parametrize(
    ("entity", "changes", "message"),
    [
        (CLIENT, {"10": 1.0, "x" * 300: 1.0}, f"Invalid configuration key {'x' * 300}"),
        (
            entity_of([("b", "a"), ("x", "a"), ("yy", "a")]),
            {},
            "Unhandled client quota entity type: x",
        ),
    ],
)
def test_of_several_errors_the_first_in_javas_order_is_reported(
    entity: Entity, changes: dict[str, float | None], message: str
) -> None:
    """Kafka keeps the types of an entity and its changes in hash tables."""
    with pytest.raises(ApiError) as refused:
        altered(entity, {}, changes)

    assert refused.value.message == message
