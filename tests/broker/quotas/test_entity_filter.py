"""Filters of entities; errors are those of Kafka 4.3.1."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.quotas.entity import Entity, entity_of
from broker.quotas.entity_filter import Component, MatchType, matching
from protocol.errors import ErrorCode

A = entity_of([("client-id", "a")])
ANY_CLIENT = entity_of([("client-id", None)])
U_AND_A = entity_of([("client-id", "a"), ("user", "u")])
U = entity_of([("user", "u")])
ADDRESS = entity_of([("ip", "192.0.2.1")])
ALL = [A, ANY_CLIENT, U_AND_A, U, ADDRESS]

EXACT, DEFAULT, SPECIFIED = MatchType


@pytest.mark.parametrize(
    ("components", "strict", "found"),
    [
        ([], False, ALL),
        ([], True, []),
        ([("client-id", EXACT, "a")], False, [A, U_AND_A]),
        ([("client-id", EXACT, "a")], True, [A]),
        ([("client-id", DEFAULT, None)], False, [ANY_CLIENT]),
        ([("client-id", SPECIFIED, None)], True, [A, ANY_CLIENT]),
        ([("client-id", EXACT, "a"), ("user", SPECIFIED, None)], True, [U_AND_A]),
        ([("user", EXACT, "absent")], False, []),
        ([("ip", SPECIFIED, None)], False, [ADDRESS]),
    ],
)
def test_a_filter_matches_its_components(
    components: list[tuple[str, int, str | None]], strict: bool, found: list[Entity]
) -> None:
    """All types of the filter, and with ``strict`` no others."""
    requested = [Component(*each) for each in components]

    assert list(matching(ALL, requested, strict=strict)) == found


@pytest.mark.parametrize(
    ("components", "message"),
    [
        (
            [("user", 2, None), ("user", 1, None)],
            "Entity type user cannot appear more than once in the filter.",
        ),
        (
            [("user", 2, None), ("ip", 2, None)],
            (
                "Invalid entity filter component combination. IP filter component should not be "
                "used with user or clientId filter component."
            ),
        ),
        ([("", 2, None)], "Invalid empty entity type."),
        ([("user", 7, None)], "Unknown match type 7"),
        (
            [("user", 0, None)],
            "Request specified MATCH_TYPE_EXACT, but set match string to null.",
        ),
        (
            [("user", 1, "x")],
            "Request specified MATCH_TYPE_DEFAULT, but also specified a match string.",
        ),
        (
            [("user", 2, "x")],
            "Request specified MATCH_TYPE_SPECIFIED, but also specified a match string.",
        ),
    ],
)
def test_an_invalid_filter_is_refused(
    components: list[tuple[str, int, str | None]], message: str
) -> None:
    """With Kafka's messages, even without any entity."""
    with pytest.raises(ApiError) as refusal:
        list(matching([], [Component(*each) for each in components], strict=False))

    assert (refusal.value.code, refusal.value.message) == (ErrorCode.INVALID_REQUEST, message)


def test_an_unknown_type_is_an_unsupported_version() -> None:
    """A newer client may know more types."""
    with pytest.raises(ApiError) as refusal:
        list(matching(ALL, [Component("group", 2, None)], strict=False))

    assert refusal.value.code is ErrorCode.UNSUPPORTED_VERSION
    assert refusal.value.message == "Unsupported entity type group"
