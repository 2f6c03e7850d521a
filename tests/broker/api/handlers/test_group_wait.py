"""The descriptions of the waits of group requests."""

from __future__ import annotations

from broker.api.handlers.group_wait import ShareCoordinatorWait, members_wait, stored_wait
from broker.groups.time_limits import RebalanceLimit
from broker.wait_records.causes import TIMED_OUT, Cause, CauseKind


def unlimited(_group_id: str) -> None:
    """The limit of a group that waits for no member."""


def test_a_wait_for_members_names_the_group() -> None:
    """It is in the purgatory of rebalances."""
    wait = members_wait(unlimited, "g", 5000)

    assert (wait.purgatory, wait.timeout_ms) == ("Rebalance", 5000)
    assert wait.condition() == {"kind": "members", "group": "g"}


def test_a_wait_for_the_log_names_its_group_unless_there_are_several() -> None:
    """It is in the purgatory of produces, as the append of the group's records in Kafka."""
    assert stored_wait("g", 5000).condition() == {"kind": "stored", "group": "g"}
    several = stored_wait(None, 5000)
    assert several.purgatory == "Produce"
    assert several.condition() == {"kind": "stored", "group": None}


def test_it_ends_with_the_present_cause() -> None:
    """Group requests have no operation that carries a cause."""
    assert members_wait(unlimited, "g").cause(lambda: TIMED_OUT) is TIMED_OUT


def test_the_time_left_is_that_of_the_group() -> None:
    """Another member may have a longer rebalance timeout."""
    wait = members_wait(lambda group_id: {"g": RebalanceLimit(60_000, 70_000)}[group_id], "g", 5000)

    assert (wait.timeout_ms, wait.remaining_ms(12_000.5)) == (60_000, 57_999)
    assert wait.remaining_ms(80_000) == 0


def test_without_a_rebalance_the_time_left_is_not_known() -> None:
    """The group of a leader's SyncGroup that is being stored waits for no member."""
    wait = members_wait(unlimited, "g", 5000)

    assert (wait.remaining_ms(0.0), wait.checks, list(wait.partitions())) == (None, 0, [])


def test_a_response_of_share_coordinators_completes_the_wait() -> None:
    """It is not a timeout, although no request causes the completion."""
    wait = ShareCoordinatorWait("g")

    assert wait.condition() == {"kind": "share_coordinator", "group": "g"}
    assert wait.cause(lambda: Cause(CauseKind.TIMEOUT)).kind is CauseKind.COORDINATOR
    assert wait.timeout_ms is None
