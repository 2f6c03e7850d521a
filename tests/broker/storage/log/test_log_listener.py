"""A log calls its listeners at its next change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.log.log_listener import LogListener
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from tests.broker.storage.logs import batch, open_log, replicate


def _ten_records(path: Path) -> UnifiedLog:
    log = open_log(path)
    for _ in range(5):
        log.append_as_leader(batch(2), 0)
    replicate(log)
    return log


class _Listener(LogListener):
    """Counts the changes, and listens to the next one if it shall *repeat*."""

    def __init__(self, log: UnifiedLog, *, repeat: bool = False) -> None:
        super().__init__()
        self.changes = 0
        self._log = log
        self._repeat = repeat
        log.listen(self)

    def log_changed(self, key: TopicPartition) -> None:
        assert key == self._log.topic_partition
        self.changes += 1
        if self._repeat:
            self._log.listen(self)


CHANGES: dict[str, Callable[[UnifiedLog], object]] = {
    "append": lambda log: log.append_as_leader(batch(2), 0),
    "replicated": lambda log: log.append_as_follower(batch(2, base_offset=10), 0),
    "high watermark": lambda log: log.update_high_watermark(LogOffsetMetadata(5)),
    "start": lambda log: log.maybe_increment_log_start_offset(1),
    "epoch": lambda log: log.begin_epoch(7),
    "end of the epochs": lambda log: log.truncate_to(10),
    "truncation": lambda log: log.truncate_to(4),
    "full truncation": lambda log: log.truncate_fully_and_start_at(20),
    "roll": lambda log: log.roll(),
    "compaction": lambda log: log.forget_positions(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_listener_is_called_when_the_log_changes(tmp_path: Path, change: str) -> None:
    """Once, also if a change has several parts."""
    log = _ten_records(tmp_path)
    listener = _Listener(log)

    CHANGES[change](log)

    assert listener.changes == 1


def test_a_listener_may_listen_to_the_next_change_at_once(tmp_path: Path) -> None:
    """It is called once for each change."""
    log = _ten_records(tmp_path)
    listener = _Listener(log, repeat=True)

    for _ in range(3):
        log.notify_listeners()

    assert listener.changes == 3


def test_closed_listeners_do_not_accumulate(tmp_path: Path) -> None:
    """Those of sessions that end while the log does not change."""
    log = _ten_records(tmp_path)
    opened = _Listener(log)
    closed = [_Listener(log) for _ in range(1000)]
    for listener in closed:
        listener.is_closed = True
        log.listen(listener)
    for _ in range(40):
        _Listener(log).is_closed = True

    log.notify_listeners()

    assert opened.changes == 1
    assert sum(listener.changes for listener in closed) < 100
