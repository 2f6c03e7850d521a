"""Records as the bytes of ``__consumer_offsets`` (Kafka's ``GroupCoordinatorRecordSerde``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import Any, NamedTuple

from broker.groups.records.classic import GroupMetadataKey, GroupMetadataValue
from broker.groups.records.consumer import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupPartitionMetadataValue,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from broker.groups.records.offsets import (
    LegacyOffsetCommitKey,
    OffsetCommitKey,
    OffsetCommitValue,
)
from protocol.codec import Malformed, decode, encode

# An offset that has no time of its own at which it expires.
NO_TIMESTAMP = -1

# A record that has not been read from a log.
NO_OFFSET = -1

_INT16 = Struct(">h")
_KEY_VERSION = 0

_TYPES: tuple[tuple[Any, Any], ...] = (
    (LegacyOffsetCommitKey, OffsetCommitValue),
    (OffsetCommitKey, OffsetCommitValue),
    (GroupMetadataKey, GroupMetadataValue),
    (ConsumerGroupMetadataKey, ConsumerGroupMetadataValue),
    (ConsumerGroupPartitionMetadataKey, ConsumerGroupPartitionMetadataValue),
    (ConsumerGroupMemberMetadataKey, ConsumerGroupMemberMetadataValue),
    (ConsumerGroupTargetAssignmentMetadataKey, ConsumerGroupTargetAssignmentMetadataValue),
    (ConsumerGroupTargetAssignmentMemberKey, ConsumerGroupTargetAssignmentMemberValue),
    (ConsumerGroupCurrentMemberAssignmentKey, ConsumerGroupCurrentMemberAssignmentValue),
    (ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue),
)
RECORD_TYPES = {key.__spec__.key: (key, value) for key, value in _TYPES}


class Record(NamedTuple):
    """A key with its value; None deletes what the key stood for."""

    key: Any
    value: Any = None


@dataclass(slots=True)
class RawRecord:
    """A record as bytes; ``offset`` is its place in the log it was read from."""

    key: bytes
    value: bytes | None
    offset: int = field(default=NO_OFFSET, compare=False)


class InconsistentRecord(Exception):  # noqa: N818 - it names the record
    """A record contradicts those before it in the log, so its group cannot be restored."""


def serialize(record: Record) -> RawRecord:
    """A record as bytes, in the version that Kafka 4.3 writes."""
    key, value = record
    raw_key = _INT16.pack(key.__spec__.key) + encode(key, _KEY_VERSION)
    if value is None:
        return RawRecord(raw_key, None)
    version = _version_of(value)
    return RawRecord(raw_key, _INT16.pack(version) + encode(value, version))


def serialized(record: Record | RawRecord) -> RawRecord:
    """The bytes of a record that may be bytes already."""
    return record if isinstance(record, RawRecord) else serialize(record)


def deserialize(raw: RawRecord) -> Record | None:
    """A record from its bytes; None for a type that is not ours. Raises `Malformed`."""
    record_type, key_bytes = _split(raw.key)
    if record_type not in RECORD_TYPES:
        return None
    key_class, value_class = RECORD_TYPES[record_type]
    key = decode(key_class, _KEY_VERSION, key_bytes)
    if raw.value is None:
        return Record(key)
    version, value_bytes = _split(raw.value)
    if version not in value_class.__spec__.versions:
        raise Malformed(f"{value_class.__name__} has no version {version}")
    return Record(key, decode(value_class, version, value_bytes))


def _split(raw: bytes) -> tuple[int, memoryview]:
    if len(raw) < _INT16.size:
        raise Malformed("a record without its type or version")
    return _INT16.unpack_from(raw)[0], memoryview(raw)[_INT16.size :]


def _version_of(value: Any) -> int:
    if isinstance(value, OffsetCommitValue):
        return 4 if value.expire_timestamp == NO_TIMESTAMP else 1
    return 3 if isinstance(value, GroupMetadataValue) else 0
