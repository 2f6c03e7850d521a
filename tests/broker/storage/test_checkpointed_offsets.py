"""The offsets of all logs that outlive the process: `broker.storage.checkpointed_offsets`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.checkpointed_offsets import CHECKPOINTS, CheckpointedOffsets
from broker.storage.disk import Disk
from broker.storage.log_directory import COMPACTED, HIGH_WATERMARKS, LOG_STARTS, LogDirectory
from tests.broker.storage.logs import ORDERS, batch, open_log, replicate

NEVER_OPENED = TopicPartition("never-opened", 0)


@pytest.fixture
def directory(tmp_path: Path) -> LogDirectory:
    """With a partition that is open, and one that nobody has opened yet."""
    directory = LogDirectory(tmp_path, Disk(), node_id=1, cluster_id="c")
    directory.partitions |= {ORDERS, NEVER_OPENED}
    return directory


def test_offsets_are_noted_written_and_read(directory: LogDirectory, tmp_path: Path) -> None:
    """By the file they are in."""
    log = open_log(tmp_path, cleanup_policy=("compact",))
    log.append_as_leader(batch(4, key=b"k"), 0)
    replicate(log)
    log.maybe_increment_log_start_offset(3)
    offsets = CheckpointedOffsets()
    for name in CHECKPOINTS:
        offsets.update(name, {ORDERS: log})
        offsets.write(name, directory, sync=False)
    again = CheckpointedOffsets()
    again.read(directory)
    assert [again.of(name, ORDERS) for name in CHECKPOINTS] == [4, 3, 3, 3]
    again.forget(ORDERS)
    assert [again.of(name, ORDERS) for name in CHECKPOINTS] == [0] * 4


def test_what_goes_without_saying_is_not_written(directory: LogDirectory, tmp_path: Path) -> None:
    """A log begins with its first segment, and most are never compacted."""
    log = open_log(tmp_path)
    offsets = CheckpointedOffsets()
    for name in CHECKPOINTS:
        offsets.update(name, {ORDERS: log})
        offsets.write(name, directory, sync=False)
    assert directory.read(HIGH_WATERMARKS) == {ORDERS: 0}
    assert directory.read(LOG_STARTS) == directory.read(COMPACTED) == {}


def test_what_nobody_has_opened_is_kept(directory: LogDirectory, tmp_path: Path) -> None:
    """Nobody knows better yet."""
    directory.write(HIGH_WATERMARKS, {NEVER_OPENED: 7}, sync=False)
    offsets = CheckpointedOffsets()
    offsets.read(directory)
    offsets.update(HIGH_WATERMARKS, {ORDERS: open_log(tmp_path)})
    offsets.write(HIGH_WATERMARKS, directory, sync=False)
    assert directory.read(HIGH_WATERMARKS) == {NEVER_OPENED: 7, ORDERS: 0}
