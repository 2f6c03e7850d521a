"""Tests of the offsets in checkpoint files: `broker.storage.directories.checkpointed_offsets`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.directories.checkpointed_offsets import (
    CHECKPOINTS,
    COMPACTED,
    HIGH_WATERMARKS,
    LOG_STARTS,
    CheckpointedOffsets,
)
from broker.storage.files.checkpoints import read_offset_checkpoint, write_offset_checkpoint
from broker.storage.files.disk import Disk
from tests.broker.storage.logs import ORDERS, batch, open_log, replicate

NEVER_OPENED = TopicPartition("never-opened", 0)


def read(path: Path) -> CheckpointedOffsets:
    """Those of two partitions in the data directory at *path*."""
    offsets = CheckpointedOffsets(path, Disk())
    offsets.read([ORDERS, NEVER_OPENED])
    return offsets


def test_offsets_are_updated_written_and_read(tmp_path: Path) -> None:
    """Each in its own file."""
    log = open_log(tmp_path, cleanup_policy=("compact",))
    log.append_as_leader(batch(4, key=b"k"), 0)
    replicate(log)
    log.maybe_increment_log_start_offset(3)
    offsets = read(tmp_path)
    for name in CHECKPOINTS:
        offsets.update(name, log)
        offsets.write(name, sync=False)
    again = read(tmp_path)
    assert [again.of(name, ORDERS) for name in CHECKPOINTS] == [4, 3, 3, 3]
    again.forget(ORDERS)
    assert [again.of(name, ORDERS) for name in CHECKPOINTS] == [0] * 4


def test_default_offsets_are_not_written(tmp_path: Path) -> None:
    """Log starts at the first segment, and offsets of logs that are not compacted."""
    log = open_log(tmp_path)
    offsets = read(tmp_path)
    for name in CHECKPOINTS:
        offsets.update(name, log)
        offsets.write(name, sync=False)
    assert read_offset_checkpoint(tmp_path / HIGH_WATERMARKS) == {ORDERS: 0}
    assert read_offset_checkpoint(tmp_path / LOG_STARTS) == {}
    assert read_offset_checkpoint(tmp_path / COMPACTED) == {}


def test_entries_of_unopened_partitions_are_kept(tmp_path: Path) -> None:
    """They are written again."""
    path = tmp_path / HIGH_WATERMARKS
    write_offset_checkpoint(Disk(), path, {NEVER_OPENED: 7}, sync=False)
    offsets = read(tmp_path)
    offsets.update(HIGH_WATERMARKS, open_log(tmp_path))
    offsets.write(HIGH_WATERMARKS, sync=False)
    assert read_offset_checkpoint(path) == {NEVER_OPENED: 7, ORDERS: 0}


def test_entries_of_partitions_without_a_directory_are_removed(tmp_path: Path) -> None:
    """They were deleted after the last checkpoint."""
    path = tmp_path / HIGH_WATERMARKS
    gone = TopicPartition("gone", 0)
    write_offset_checkpoint(Disk(), path, {gone: 3, NEVER_OPENED: 7}, sync=False)
    read(tmp_path).write(HIGH_WATERMARKS, sync=False)
    assert read_offset_checkpoint(path) == {NEVER_OPENED: 7}


def test_a_damaged_checkpoint_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One message names it, as in Kafka."""
    (tmp_path / HIGH_WATERMARKS).write_text("0\n7\n")
    assert read(tmp_path).of(HIGH_WATERMARKS, ORDERS) == 0
    assert f"{tmp_path / HIGH_WATERMARKS} is not a checkpoint" in caplog.text
