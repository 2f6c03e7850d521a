"""Tests of ``.snapshot`` files: `broker.storage.producers.producer_snapshot`."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from crc32c import crc32c

from broker.steps.queue import finish
from broker.storage.files.disk import Disk
from broker.storage.producers.packed_producers import PackedProducers
from broker.storage.producers.producer_snapshot import (
    CorruptSnapshot,
    Snapshots,
    read_snapshot,
    snapshot_path,
)
from broker.storage.producers.producer_state_entry import BatchMetadata, ProducerStateEntry


def entry() -> ProducerStateEntry:
    producer = ProducerStateEntry(7, 2, 1234)
    producer.batches.append(BatchMetadata(5, 50, 5, 1000))
    producer.batches.append(BatchMetadata(9, 64, 3, 1234))
    return producer


def write_snapshot(path: Path, *producers: ProducerStateEntry) -> None:
    """Write the file of these producers."""
    packed = PackedProducers(path, {each.producer_id: each for each in producers})
    finish(packed.pack())
    path.write_bytes(packed.content())


def test_the_file_has_kafkas_bytes(tmp_path: Path) -> None:
    """Version, checksum of what follows, count, and 46 bytes per producer."""
    path = snapshot_path(tmp_path, 65)
    write_snapshot(path, entry())
    body = struct.pack(">iqhiqiqiq", 1, 7, 2, 9, 64, 3, 1234, -1, -1)
    assert path.name == "00000000000000000065.snapshot"
    assert path.read_bytes() == struct.pack(">hI", 1, crc32c(body)) + body


def test_the_last_batch_is_read_again(tmp_path: Path) -> None:
    """The four batches before it are not in the file."""
    path = snapshot_path(tmp_path, 65)
    write_snapshot(path, entry())
    (read,) = read_snapshot(path)
    assert (read.producer_id, read.epoch, read.last_timestamp) == (7, 2, 1234)
    assert list(read.batches) == [BatchMetadata(9, 64, 3, 1234)]


def test_a_producer_without_batches_is_kept(tmp_path: Path) -> None:
    """Its epoch still fences older ones."""
    path = snapshot_path(tmp_path, 1)
    write_snapshot(path, ProducerStateEntry(7, 2, 10))
    (read,) = read_snapshot(path)
    assert (read.epoch, len(read.batches)) == (2, 0)


def test_a_snapshot_may_have_no_producers(tmp_path: Path) -> None:
    """It is valid."""
    path = snapshot_path(tmp_path, 1)
    write_snapshot(path)
    assert read_snapshot(path) == []


@pytest.mark.parametrize("damage", ["cut", "flip", "version", "empty"])
def test_a_damaged_snapshot_is_an_error_with_its_name(tmp_path: Path, damage: str) -> None:
    """The caller ignores the file."""
    path = snapshot_path(tmp_path, 65)
    write_snapshot(path, entry())
    data = bytearray(path.read_bytes())
    if damage == "flip":
        data[20] ^= 1
    elif damage == "version":
        data[1] = 2
    path.write_bytes({"cut": bytes(data[:-3]), "empty": b""}.get(damage, bytes(data)))
    with pytest.raises(CorruptSnapshot, match=str(path)):
        read_snapshot(path)


def test_snapshots_are_found_by_their_names(tmp_path: Path) -> None:
    """Other files are ignored."""
    for name in ("00000000000000000010.snapshot", "00000000000000000002.snapshot", "x.snapshot"):
        (tmp_path / name).touch()
    assert Snapshots(tmp_path, Disk()).offsets == [2, 10]
