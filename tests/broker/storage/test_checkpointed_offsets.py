"""Tests of the offsets in checkpoint files: `broker.storage.checkpointed_offsets`."""

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
    """With one partition whose log is open, and one whose log is not."""
    directory = LogDirectory(tmp_path, Disk(), node_id=1, cluster_id="c")
    directory.partitions |= {ORDERS, NEVER_OPENED}
    return directory


def test_offsets_are_updated_written_and_read(directory: LogDirectory, tmp_path: Path) -> None:
    """Each in its own file."""
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


def test_default_offsets_are_not_written(directory: LogDirectory, tmp_path: Path) -> None:
    """Log starts at the first segment, and offsets of logs that are not compacted."""
    log = open_log(tmp_path)
    offsets = CheckpointedOffsets()
    for name in CHECKPOINTS:
        offsets.update(name, {ORDERS: log})
        offsets.write(name, directory, sync=False)
    assert directory.read(HIGH_WATERMARKS) == {ORDERS: 0}
    assert directory.read(LOG_STARTS) == directory.read(COMPACTED) == {}


def test_entries_of_unopened_partitions_are_kept(directory: LogDirectory, tmp_path: Path) -> None:
    """They are written again."""
    directory.write(HIGH_WATERMARKS, {NEVER_OPENED: 7}, sync=False)
    offsets = CheckpointedOffsets()
    offsets.read(directory)
    offsets.update(HIGH_WATERMARKS, {ORDERS: open_log(tmp_path)})
    offsets.write(HIGH_WATERMARKS, directory, sync=False)
    assert directory.read(HIGH_WATERMARKS) == {NEVER_OPENED: 7, ORDERS: 0}
