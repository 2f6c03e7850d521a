"""The order of members in Kafka's assignors."""

from __future__ import annotations

from broker.groups.member_order import in_assignment_order

# Their hash codes are in one bucket of a table of 16.
FIRST, SECOND = "a", "q"


def test_members_are_in_the_order_of_their_hash_codes() -> None:
    """The order in which they have joined does not matter."""
    assert in_assignment_order(["c", "b", "a"], ["c", "b", "a"]) == ["a", "b", "c"]


def test_a_new_member_is_behind_the_others_of_its_bucket() -> None:
    """It is added to the table last."""
    assert in_assignment_order([FIRST, SECOND], [FIRST]) == [FIRST, SECOND]
    assert in_assignment_order([FIRST, SECOND], [SECOND]) == [SECOND, FIRST]


def test_a_member_that_has_left_is_not_in_the_order() -> None:
    """The group had it before the heartbeat."""
    assert in_assignment_order(["a"], ["a", "b"]) == ["a"]
