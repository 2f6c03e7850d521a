"""The share of a member."""

from __future__ import annotations

from broker.groups.streams.assignors.quota import Quota


def test_the_share_is_rounded_up() -> None:
    """So that all tasks have a place."""
    assert Quota(7, 3).per_member == 3


def test_a_member_that_reaches_the_share_leaves_less_to_the_others() -> None:
    """Seven tasks are 3, 2 and 2."""
    quota = Quota(7, 3)

    quota.count(3)

    assert quota.per_member == 2


def test_a_member_below_the_share_does_not_count() -> None:
    """It can get more."""
    quota = Quota(7, 3)

    quota.count(2)

    assert quota.per_member == 3


def test_nothing_is_left_when_all_members_have_their_share() -> None:
    """No member gets more."""
    quota = Quota(2, 1)

    quota.count(2)

    assert quota.per_member == 0
