"""Records of an internal topic, and how they are serialized (``CoordinatorRecordSerde``).

A key begins with the type of the record and a value with its version, both as INT16. A null value
deletes what earlier records with the same key have set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from struct import Struct
from typing import Any, Final

from protocol.codec import Malformed, decode, encode
from protocol.lazy_dataclass import dataclass
from protocol.record_batch.header import NO_PRODUCER_ID

# The offset of a record that has not been read from a log.
NO_OFFSET: Final = -1

_INT16: Final = Struct(">h")
_KEY_VERSION: Final = 0


@dataclass(slots=True)
class CoordinatorRecord:
    """A key and its value, both messages of `protocol.schema`; the value None is a tombstone."""

    key: Any
    value: Any = None


@dataclass(slots=True)
class RawRecord:
    """A serialized record; ``offset`` is its offset in the log that it was read from.

    ``producer_id`` is that of its batch: a record with one belongs to a transaction.
    """

    key: bytes
    value: bytes | None
    offset: int = field(default=NO_OFFSET, compare=False)
    producer_id: int = field(default=NO_PRODUCER_ID, compare=False)


class InconsistentRecord(Exception):  # noqa: N818 - it names the record
    """A record contradicts the records before it in the log, so the state cannot be restored."""


class CoordinatorRecordSerde:
    """Serializes the records of one internal topic.

    *types* are the pairs of key and value classes; the number of a key class is the type of its
    records. *version_of* returns the version in which a value is written.
    """

    def __init__(self, types: Iterable[tuple[Any, Any]], version_of: Callable[[Any], int]) -> None:
        self.types = {key.__spec__.key: (key, value) for key, value in types}
        self._version_of = version_of

    def serialize(self, record: CoordinatorRecord) -> RawRecord:
        """Return the bytes of *record*; raises `Unencodable`."""
        key, value = record.key, record.value
        raw_key = _INT16.pack(key.__spec__.key) + encode(key, _KEY_VERSION)
        if value is None:
            return RawRecord(raw_key, None)
        version = self._version_of(value)
        return RawRecord(raw_key, _INT16.pack(version) + encode(value, version))

    def deserialize(self, raw: RawRecord) -> CoordinatorRecord | None:
        """Return the record, or None if its type is unknown; raises `Malformed`."""
        record_type, key_bytes = _split(raw.key)
        if record_type not in self.types:
            return None
        key_class, value_class = self.types[record_type]
        key = decode(key_class, _KEY_VERSION, key_bytes)
        if raw.value is None:
            return CoordinatorRecord(key)
        version, value_bytes = _split(raw.value)
        if version not in value_class.__spec__.versions:
            raise Malformed(f"{value_class.__name__} has no version {version}")
        return CoordinatorRecord(key, decode(value_class, version, value_bytes))


def _split(raw: bytes) -> tuple[int, memoryview]:
    if len(raw) < _INT16.size:
        raise Malformed("a record without its type or version")
    return _INT16.unpack_from(raw)[0], memoryview(raw)[_INT16.size :]
