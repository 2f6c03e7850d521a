"""Kafka's small text files: offsets per partition, leader epochs, a partition's topic ID.

The first two have a common format: the version, 0, the number of lines, then the lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from uuid import UUID

from broker.common.errors import StartupError
from broker.common.topic_partition import TopicPartition
from broker.common.uuid_text import parse_uuid, uuid_text
from broker.storage.files.disk import Disk, read_small_file

PARTITION_METADATA = "partition.metadata"

_VERSION = "0"


class CorruptCheckpoint(StartupError):  # noqa: N818 - it names what the file is
    """A checkpoint file that is damaged or of another version; the message names it."""


def offset_line(key: TopicPartition, offset: int) -> str:
    """The line ``topic partition offset``."""
    return f"{key.topic} {key.partition} {offset}"


def write_offset_checkpoint(disk: Disk, path: Path, lines: Iterable[str], *, sync: bool) -> None:
    """Write *lines* of offsets, with *sync* to the disk. Raises OSError."""
    disk.replace(path, _framed(lines), sync=sync)


def read_offset_checkpoint(path: Path) -> dict[TopicPartition, int]:
    """The offsets; none if the file does not exist. Raises `CorruptCheckpoint`."""
    offsets = {}
    for topic, partition, offset in _read_lines(path, columns=3):
        offsets[TopicPartition(topic, _number(path, partition))] = _number(path, offset)
    return offsets


def write_epoch_checkpoint(disk: Disk, path: Path, entries: Iterable[tuple[int, int]]) -> None:
    """Write ``epoch startOffset`` per line. Raises OSError."""
    disk.replace(path, _framed(f"{epoch} {start}" for epoch, start in entries))


def read_epoch_checkpoint(path: Path) -> list[tuple[int, int]]:
    """Each (epoch, start offset); none if the file does not exist. Raises `CorruptCheckpoint`."""
    return [
        (_number(path, epoch), _number(path, start))
        for epoch, start in _read_lines(path, columns=2)
    ]


def write_partition_metadata(disk: Disk, path: Path, topic_id: UUID) -> None:
    """Write the topic ID, in URL-safe base64 without padding. Raises OSError."""
    text = f"version: 0\ntopic_id: {uuid_text(topic_id)}"
    disk.replace(path, text.encode())


def read_partition_metadata(path: Path) -> UUID | None:
    """The topic ID; None if the file does not exist or is empty. Raises `CorruptCheckpoint`."""
    lines = _lines(path)
    if not lines:
        return None  # after a power failure the file may be empty
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    try:
        return parse_uuid(fields["topic_id"])
    except (KeyError, ValueError):
        raise CorruptCheckpoint(f"{path} has no valid topic ID") from None


def _framed(lines: Iterable[str]) -> bytes:
    listed = list(lines)
    return "\n".join([_VERSION, str(len(listed)), *listed, ""]).encode()


def _read_lines(path: Path, columns: int) -> list[list[str]]:
    lines = _lines(path)
    if lines is None:
        return []
    if len(lines) < 2 or lines[0] != _VERSION or lines[1] != str(len(lines) - 2):
        raise CorruptCheckpoint(f"{path} is not a checkpoint of version {_VERSION}, or is damaged")
    rows = [line.split() for line in lines[2:]]
    if any(len(row) != columns for row in rows):
        raise CorruptCheckpoint(f"{path} has a line that does not have {columns} fields")
    return rows


def _lines(path: Path) -> list[str] | None:
    try:
        return read_small_file(path).decode().splitlines()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise CorruptCheckpoint(f"{path} is not text") from None


def _number(path: Path, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise CorruptCheckpoint(f"{path}: {text!r} is not a number") from None
