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
from broker.storage.files.checkpoints import (
    offset_line,
    read_offset_checkpoint,
    write_offset_checkpoint,
)
from broker.storage.files.disk import Disk
from tests.broker.storage.logs import ORDERS, batch, open_log, replicate

NEVER_OPENED = TopicPartition("never-opened", 0)


def read(path: Path) -> CheckpointedOffsets:
    """Those of two partitions in the data directory at *path*."""
    offsets = CheckpointedOffsets(path, Disk())
    offsets.read([ORDERS, NEVER_OPENED])
    return offsets


def write_offsets(path: Path, offsets: dict[TopicPartition, int]) -> None:
    """Write the file of these offsets."""
    lines = [offset_line(key, offset) for key, offset in offsets.items()]
    write_offset_checkpoint(Disk(), path, lines, sync=False)


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


class _Name(str):
    """The name of a topic that counts how often it is formatted."""

    __slots__ = ()
    formatted = 0

    def __format__(self, spec: str) -> str:
        """Count it."""
        _Name.formatted += 1
        return super().__format__(spec)


def test_the_line_of_an_offset_that_has_not_changed_is_written_again(tmp_path: Path) -> None:
    """It is not made again, because a node may have tens of thousands of partitions."""
    log = open_log(tmp_path)
    log.topic_partition = TopicPartition(_Name("orders"), 0)
    offsets = read(tmp_path)
    _Name.formatted = 0
    for _ in range(3):
        offsets.update(HIGH_WATERMARKS, log)
        offsets.write(HIGH_WATERMARKS, sync=False)
    assert _Name.formatted == 1

    log.append_as_leader(batch(2), 0)
    replicate(log)
    offsets.update(HIGH_WATERMARKS, log)
    offsets.write(HIGH_WATERMARKS, sync=False)

    assert _Name.formatted == 2
    assert read_offset_checkpoint(tmp_path / HIGH_WATERMARKS) == {ORDERS: 2}


def test_entries_of_unopened_partitions_are_kept(tmp_path: Path) -> None:
    """They are written again."""
    path = tmp_path / HIGH_WATERMARKS
    write_offsets(path, {NEVER_OPENED: 7})
    offsets = read(tmp_path)
    offsets.update(HIGH_WATERMARKS, open_log(tmp_path))
    offsets.write(HIGH_WATERMARKS, sync=False)
    assert read_offset_checkpoint(path) == {NEVER_OPENED: 7, ORDERS: 0}


def test_entries_of_partitions_without_a_directory_are_removed(tmp_path: Path) -> None:
    """They were deleted after the last checkpoint."""
    path = tmp_path / HIGH_WATERMARKS
    gone = TopicPartition("gone", 0)
    write_offsets(path, {gone: 3, NEVER_OPENED: 7})
    read(tmp_path).write(HIGH_WATERMARKS, sync=False)
    assert read_offset_checkpoint(path) == {NEVER_OPENED: 7}


def test_a_damaged_checkpoint_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One message names it, as in Kafka."""
    (tmp_path / HIGH_WATERMARKS).write_text("0\n7\n")
    assert read(tmp_path).of(HIGH_WATERMARKS, ORDERS) == 0
    assert f"{tmp_path / HIGH_WATERMARKS} is not a checkpoint" in caplog.text
