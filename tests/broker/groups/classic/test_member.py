"""Classic member."""

from __future__ import annotations

import pytest

from tests.broker.groups.members import member


def test_each_protocol_has_its_metadata() -> None:
    """The metadata of the named protocol is returned."""
    assert member("a", "range", "sticky").metadata("sticky") == b"sticky"


def test_the_metadata_of_an_unsupported_protocol_is_a_bug() -> None:
    """A group selects only protocols that all members support."""
    with pytest.raises(AssertionError):
        member("a", "range").metadata("sticky")


def test_a_member_votes_for_the_first_candidate_in_its_list() -> None:
    """The order of its protocols is its preference."""
    assert member("a", "x", "sticky", "range").vote({"range", "sticky"}) == "sticky"


def test_a_member_with_a_waiting_request_need_not_heartbeat() -> None:
    """The client waits for the response."""
    each = member("a")
    assert not each.has_satisfied_heartbeat
    each.awaiting_join = print
    assert each.has_satisfied_heartbeat
    each.awaiting_join, each.awaiting_sync = None, print
    assert each.has_satisfied_heartbeat


def test_the_first_join_of_a_member_does_not_count_as_a_heartbeat() -> None:
    """Its client may have disconnected."""
    each = member("a")
    each.is_new, each.awaiting_join = True, print
    assert not each.has_satisfied_heartbeat


def test_an_instance_id_makes_a_member_static() -> None:
    """KIP-345."""
    assert member("a", instance="i").is_static
    assert not member("a").is_static
