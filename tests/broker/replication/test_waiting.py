"""Who is asked when something moves, and in which order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from broker.common.state_changes import StateChanges
from broker.replication.waiting import Waiting
from broker.wait_records.causes import CauseKind
from broker.wait_records.recorder import Recorder
from purgatories.delayed_operation import DelayedOperation
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.broker.replication.world import KEY, OTHER
from tests.broker.storage.logs import StillClock
from tests.broker.wait_records.records import wait_record


class Asked(DelayedOperation):
    """Never completes; notes that it was asked."""

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
def asked() -> list[str]:
    """Who was asked so far."""
    return []


@pytest.fixture
def waiting(asked: list[str]) -> Waiting:
    """Three purgatories, in each of them one operation on the same partition."""
    produce, fetch, delete = (_purgatory(name, asked) for name in ("produce", "fetch", "delete"))
    asked.clear()
    return Waiting(produce, fetch, delete, StateChanges())


def _purgatory(name: str, asked: list[str]) -> DelayedOperationPurgatory[Asked]:
    timer = SystemTimer(name, now_ms=lambda: 0)
    purgatory: DelayedOperationPurgatory[Asked] = DelayedOperationPurgatory(name, timer)
    purgatory.try_complete_else_watch(Asked(name, asked), [KEY])
    return purgatory


def test_an_append_that_moved_the_high_watermark(waiting: Waiting, asked: list[str]) -> None:
    """Kafka's addCompletePurgatoryAction: produce before fetch."""
    waiting.after_append([(KEY, True, 1)])

    assert asked == ["produce", "fetch", "delete"]


def test_an_append_that_did_not(waiting: Waiting, asked: list[str]) -> None:
    """Only who reads to the log end may have something now."""
    waiting.after_append([(OTHER, True, 1), (KEY, False, 1)])

    assert asked == ["fetch"]


def test_a_follower_that_moved_an_offset(waiting: Waiting, asked: list[str]) -> None:
    """Kafka's DelayedOperations.checkAndCompleteAll: fetch before produce."""
    waiting.after_offsets_moved(KEY, 1)

    assert asked == ["fetch", "produce", "delete"]


def test_a_follower_that_learned_a_high_watermark(waiting: Waiting, asked: list[str]) -> None:
    """Consumers that read here; nobody waits for replication at a follower."""
    waiting.after_replicated(KEY, 1)

    assert asked == ["fetch"]


def test_a_partition_that_left(waiting: Waiting, asked: list[str]) -> None:
    """Kafka's completeDelayedOperationsWhenNotPartitionLeader: not those who delete."""
    waiting.after_leaving(KEY, CauseKind.LEADERSHIP)

    assert asked == ["produce", "fetch"]


@pytest.mark.parametrize("how", ["append", "follower"])
def test_a_listener_hears_of_the_high_watermark_first(
    waiting: Waiting, asked: list[str], how: str
) -> None:
    """A coordinator's own writes are looked at before any client's."""
    waiting.high_watermark_listeners[KEY] = lambda: asked.append("listener")

    if how == "append":
        waiting.after_append([(KEY, True, 1)])
    else:
        waiting.after_offsets_moved(KEY, 1)

    assert asked[0] == "listener"
    assert len(asked) == 4


def test_nobody_else_is_asked(waiting: Waiting, asked: list[str]) -> None:
    """Partitions are asked about one by one."""
    waiting.after_offsets_moved(OTHER, 1)

    assert asked == []


def test_what_ends_without_an_operation_is_explained_by_what_is_told(asked: list[str]) -> None:
    """Groups' requests: by the innermost event, and by the outer one again when that is over."""
    timer = SystemTimer("t", now_ms=lambda: 0)
    purgatory: DelayedOperationPurgatory[Asked] = DelayedOperationPurgatory("p", timer)
    recorder = Recorder(StillClock())
    waiting = Waiting(purgatory, purgatory, purgatory, StateChanges(), recorder)
    causes = []

    def end() -> None:
        record = wait_record()
        record.parked_ms = 11.0
        recorder.completed(cast("Any", SimpleNamespace(record=record, operation=None)), None)
        causes.append(record.cause[:3])

    def inner() -> None:
        waiting.high_watermark_listeners[OTHER] = end
        waiting.after_offsets_moved(OTHER, 5)
        end()

    waiting.leaving(KEY, inner)
    end()

    assert causes == [
        (CauseKind.HIGH_WATERMARK, OTHER, 5),
        (CauseKind.LEADERSHIP, KEY, None),
        (CauseKind.TIMEOUT, None, None),
    ]
