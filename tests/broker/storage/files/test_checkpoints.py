"""Tests of Kafka's small text files: `broker.storage.files.checkpoints`."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.files.checkpoints import (
    CorruptCheckpoint,
    offset_line,
    read_epoch_checkpoint,
    read_offset_checkpoint,
    read_partition_metadata,
    write_epoch_checkpoint,
    write_offset_checkpoint,
    write_partition_metadata,
)
from broker.storage.files.disk import Disk


def test_offsets_are_written_as_kafka_writes_them(tmp_path: Path) -> None:
    """Version, number of lines, then topic, partition and offset."""
    path = tmp_path / "replication-offset-checkpoint"
    offsets = {TopicPartition("b", 1): 7, TopicPartition("a-b.c", 0): 0}
    lines = [offset_line(key, offset) for key, offset in offsets.items()]
    write_offset_checkpoint(Disk(), path, lines, sync=False)
    assert path.read_bytes() == b"0\n2\nb 1 7\na-b.c 0 0\n"
    assert read_offset_checkpoint(path) == offsets


def test_epochs_are_written_as_kafka_writes_them(tmp_path: Path) -> None:
    """Version, number of lines, then epoch and start offset."""
    path = tmp_path / "leader-epoch-checkpoint"
    write_epoch_checkpoint(Disk(), path, [(0, 0), (3, 120)])
    assert path.read_bytes() == b"0\n2\n0 0\n3 120\n"
    assert read_epoch_checkpoint(path) == [(0, 0), (3, 120)]


def test_a_topic_id_is_written_as_kafka_writes_it(tmp_path: Path) -> None:
    """URL-safe base64 without padding."""
    path = tmp_path / "partition.metadata"
    topic_id = UUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
    write_partition_metadata(Disk(), path, topic_id)
    assert path.read_bytes() == b"version: 0\ntopic_id: -B1Prn3sEdCnZQCgyR5r9g"
    assert read_partition_metadata(path) == topic_id


def test_a_missing_file_is_empty(tmp_path: Path) -> None:
    """A new directory has no checkpoints."""
    path = tmp_path / "none"
    assert read_offset_checkpoint(path) == {}
    assert read_epoch_checkpoint(path) == []
    assert read_partition_metadata(path) is None


@pytest.mark.parametrize("text", ["", "1\n0\n", "0\n2\na 0 1\n", "0\n1\na 0\n", "0\n1\na x 1\n"])
def test_a_damaged_checkpoint_is_an_error_with_its_name(tmp_path: Path, text: str) -> None:
    """It is not treated as an empty one."""
    path = tmp_path / "checkpoint"
    path.write_text(text)
    with pytest.raises(CorruptCheckpoint, match=str(path)):
        read_offset_checkpoint(path)


@pytest.mark.parametrize("text", ["version: 0", "topic_id: abc"])
def test_a_damaged_topic_id_is_an_error_with_the_files_name(tmp_path: Path, text: str) -> None:
    """The partition could be that of another topic."""
    path = tmp_path / "partition.metadata"
    path.write_text(text)
    with pytest.raises(CorruptCheckpoint, match=str(path)):
        read_partition_metadata(path)


def test_an_empty_partition_metadata_is_none(tmp_path: Path) -> None:
    """A power failure may leave an empty file."""
    (tmp_path / "partition.metadata").touch()
    assert read_partition_metadata(tmp_path / "partition.metadata") is None
