"""Which purgatories are checked after an event, and in which order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from broker.api.handlers.group_wait import members_wait
from broker.common.state_changes import StateChanges
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.wait_records.causes import CauseKind
from broker.wait_records.recorder import Recorder
from purgatories.delayed_operation import DelayedOperation
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.broker.replication.world import KEY, OTHER
from tests.broker.storage.logs import StillClock
from tests.broker.wait_records.records import wait_record


class CheckedOperation(DelayedOperation):
    """Never completes; appends its name to a log at each check."""

    def __init__(self, name: str, log: list[str]) -> None:
        super().__init__(1000)
        self._name = name
        self._log = log

    def try_complete(self) -> bool:
        self._log.append(self._name)
        return False

    def on_complete(self) -> None:
        raise AssertionError


@pytest.fixture
def checked() -> list[str]:
    """The names of the operations that were checked, in order."""
    return []


@pytest.fixture
def purgatories(checked: list[str]) -> PartitionPurgatories:
    """Four purgatories, each with one operation on the same partition."""
    names = ("produce", "fetch", "delete", "share")
    produce, fetch, delete, share = (_purgatory(name, checked) for name in names)
    checked.clear()
    return PartitionPurgatories(produce, fetch, delete, share, StateChanges())


def _purgatory(name: str, checked: list[str]) -> DelayedOperationPurgatory[CheckedOperation]:
    timer = SystemTimer(name, now_ms=lambda: 0)
    purgatory: DelayedOperationPurgatory[CheckedOperation] = DelayedOperationPurgatory(name, timer)
    purgatory.try_complete_else_watch(CheckedOperation(name, checked), [KEY])
    return purgatory


def test_an_append_that_moved_the_high_watermark_checks_produce_first(
    purgatories: PartitionPurgatories, checked: list[str]
) -> None:
    """All purgatories are checked, in the order of Kafka's addCompletePurgatoryAction."""
    purgatories.after_append(KEY, 1, True)

    assert checked == ["produce", "fetch", "delete", "share"]


def test_an_append_that_did_not_move_the_high_watermark_checks_fetch(
    purgatories: PartitionPurgatories, checked: list[str]
) -> None:
    """Only fetches that read up to the log end may complete."""
    purgatories.after_append(OTHER, 1, True)
    purgatories.after_append(KEY, 1, False)

    assert checked == ["fetch"]


def test_an_offset_moved_by_a_follower_checks_fetch_first(
    purgatories: PartitionPurgatories, checked: list[str]
) -> None:
    """All are checked, in the order of Kafka's DelayedOperations.checkAndCompleteAll."""
    purgatories.after_offsets_moved(KEY, 1)

    assert checked == ["fetch", "produce", "delete", "share"]


def test_a_high_watermark_received_by_a_follower_checks_fetch(
    purgatories: PartitionPurgatories, checked: list[str]
) -> None:
    """Consumers may fetch from followers; produces and deletions wait on leaders only."""
    purgatories.after_replicated(KEY, 1)

    assert checked == ["fetch"]


def test_a_change_of_a_share_partition_checks_the_fetches_of_its_group(
    purgatories: PartitionPurgatories, checked: list[str]
) -> None:
    """They wait on the share partition; other operations do not."""
    purgatories.after_share_partition_changed(KEY, OTHER, CauseKind.LOCK_EXPIRED)

    assert checked == ["share"]


def test_a_partition_that_is_not_led_any_more_checks_produce_and_fetch(
    purgatories: PartitionPurgatories, checked: list[str]
) -> None:
    """As Kafka's completeDelayedOperationsWhenNotPartitionLeader, not DeleteRecords."""
    purgatories.after_leaving(KEY, CauseKind.LEADERSHIP)

    assert checked == ["produce", "fetch", "share"]


@pytest.mark.parametrize("event", ["append", "follower"])
def test_the_listener_is_called_before_the_checks(
    purgatories: PartitionPurgatories, checked: list[str], event: str
) -> None:
    """A group coordinator completes its own requests before those of other clients."""
    purgatories.high_watermark_listeners[KEY] = lambda: checked.append("listener")

    if event == "append":
        purgatories.after_append(KEY, 1, True)
    else:
        purgatories.after_offsets_moved(KEY, 1)

    assert checked[0] == "listener"
    assert len(checked) == 5


def test_operations_on_other_partitions_are_not_checked(
    purgatories: PartitionPurgatories, checked: list[str]
) -> None:
    """An event of one partition checks the operations that wait on it, and no others."""
    purgatories.after_offsets_moved(OTHER, 1)

    assert checked == []


def test_a_forgotten_partition_has_no_expiry_count(purgatories: PartitionPurgatories) -> None:
    """The count of a partition ends with the partition (KAFKA-20204); the total remains."""
    meter = purgatories.produce.expirations
    for key in (KEY, OTHER):
        meter.mark(key)

    purgatories.forget(KEY)

    assert (meter.total, meter.by_tag()) == (2, {OTHER: 1})


def test_a_group_request_is_completed_by_the_innermost_event(checked: list[str]) -> None:
    """It has no operation: the cause is that of the call which completes it."""
    timer = SystemTimer("t", now_ms=lambda: 0)
    purgatory: DelayedOperationPurgatory[CheckedOperation] = DelayedOperationPurgatory("p", timer)
    recorder = Recorder(StillClock())
    purgatories = PartitionPurgatories(
        purgatory, purgatory, purgatory, purgatory, StateChanges(), recorder
    )
    causes = []

    def end() -> None:
        record = wait_record()
        record.parked_ms = 11.0
        observer = SimpleNamespace(record=record)
        request = SimpleNamespace(
            header=record.header,
            observer=observer,
            wait=members_wait(lambda _group_id: None, "g"),
            throttled=None,
        )
        recorder.completed(cast("Any", request), None)
        causes.append(record.cause[:3])

    def inner() -> None:
        purgatories.high_watermark_listeners[OTHER] = end
        purgatories.after_offsets_moved(OTHER, 5)
        end()

    purgatories.run_on_resignation(KEY, inner)
    end()

    assert causes == [
        (CauseKind.HIGH_WATERMARK, OTHER, 5),
        (CauseKind.LEADERSHIP, KEY, None),
        (CauseKind.TIMEOUT, None, None),
    ]
