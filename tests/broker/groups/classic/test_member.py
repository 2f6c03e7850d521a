"""Member."""

from __future__ import annotations

import pytest

from tests.broker.groups.members import member


def test_metadata_is_that_of_the_chosen_protocol() -> None:
    """Each protocol has metadata of its own."""
    assert member("a", "range", "sticky").metadata("sticky") == b"sticky"


def test_metadata_of_a_protocol_it_does_not_know_is_a_bug() -> None:
    """The group only ever chooses what all members know."""
    with pytest.raises(AssertionError):
        member("a", "range").metadata("sticky")


def test_a_vote_goes_to_the_first_candidate_it_lists() -> None:
    """The order of its protocols is the member's preference."""
    assert member("a", "x", "sticky", "range").vote({"range", "sticky"}) == "sticky"


def test_a_parked_request_counts_as_a_heartbeat() -> None:
    """Who waits for us cannot be silent."""
    each = member("a")
    assert not each.has_satisfied_heartbeat
    each.awaiting_join = print
    assert each.has_satisfied_heartbeat
    each.awaiting_join, each.awaiting_sync = None, print
    assert each.has_satisfied_heartbeat


def test_a_newcomer_s_parked_join_is_no_heartbeat() -> None:
    """It may be gone already: nobody would notice while its request is parked."""
    each = member("a")
    each.is_new, each.awaiting_join = True, print
    assert not each.has_satisfied_heartbeat


def test_an_instance_id_makes_a_member_static() -> None:
    """KIP-345."""
    assert member("a", instance="i").is_static
    assert not member("a").is_static
