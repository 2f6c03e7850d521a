"""Hash codes of Java, and the iteration order of its hash tables.

Kafka derives the partition of a group from the hash code of its id. Its assignors iterate over
members and topics in the order of a ``HashMap``; the same order assigns the same partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from struct import iter_unpack
from typing import Final, TypeVar
from uuid import UUID

K = TypeVar("K")

_INT_BITS: Final = 0xFFFF_FFFF
_CAPACITY_MIN: Final = 16
_LOAD_FACTOR: Final = 0.75
_CACHED_HASHES: Final = 4096


# The same share partitions and groups are hashed with each of their requests.
@lru_cache(maxsize=_CACHED_HASHES)
def string_hash(text: str) -> int:
    """``String.hashCode``."""
    value = 0
    for (unit,) in iter_unpack("<H", text.encode("utf-16-le", "surrogatepass")):
        value = (value * 31 + unit) & _INT_BITS
    return _signed(value)


def uuid_hash(topic_id: UUID) -> int:
    """``org.apache.kafka.common.Uuid.hashCode``."""
    mixed = (topic_id.int >> 64) ^ (topic_id.int & 0xFFFF_FFFF_FFFF_FFFF)
    return _signed((mixed >> 32) ^ (mixed & _INT_BITS))


def in_hash_order(keys: Collection[K], hash_of: Callable[[K], int]) -> list[K]:
    """Return *keys* in the iteration order of a ``HashMap`` that they were added to."""
    capacity = _CAPACITY_MIN
    while len(keys) > capacity * _LOAD_FACTOR:
        capacity *= 2

    def bucket(key: K) -> int:
        value = hash_of(key) & _INT_BITS
        return (value ^ value >> 16) & (capacity - 1)

    return sorted(keys, key=bucket)


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value
