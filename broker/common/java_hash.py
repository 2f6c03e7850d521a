"""Hash codes of Java, and the iteration order of its hash tables and Kafka's.

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
# To hash so many characters takes less than 1 ms in CPython.
_CHECKED_MAX_CHARACTERS: Final = 2_000
_TIMELINE_CAPACITY_MIN: Final = 2
# The factor of Kafka's secondary hash: 2**64 divided by the golden ratio.
_FIBONACCI: Final = 0x9E37_79B9_7F4A_7C15
_LONG_BITS: Final = 0xFFFF_FFFF_FFFF_FFFF


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
    mixed = (topic_id.int >> 64) ^ (topic_id.int & _LONG_BITS)
    return _signed((mixed >> 32) ^ (mixed & _INT_BITS))


def in_hash_order(
    keys: Collection[K], hash_of: Callable[[K], int], capacity: int = _CAPACITY_MIN
) -> list[K]:
    """Return *keys* in the iteration order of a ``HashMap`` that they were added to.

    *capacity* is the argument of its constructor.
    """
    buckets = 1
    while buckets < capacity or len(keys) > buckets * _LOAD_FACTOR:
        buckets *= 2

    def bucket(key: K) -> int:
        value = hash_of(key) & _INT_BITS
        return (value ^ value >> 16) & (buckets - 1)

    return sorted(keys, key=bucket)


def in_checked_order(names: Collection[str], capacity: int = _CAPACITY_MIN) -> Collection[str]:
    """Return *names* in the order in which Kafka checks those of a ``HashMap``.

    Of several invalid ones the first is reported. Very many or long names, of which no valid
    request consists, keep their order, because their hash codes take long.
    """
    if sum(map(len, names)) + len(names) > _CHECKED_MAX_CHARACTERS:
        return names
    return in_hash_order(names, string_hash, capacity)


def capacity_of_copy(size: int) -> int:
    """The capacity of a ``HashSet`` that is made from a collection of *size* elements."""
    return max(size * 4 // 3 + 1, _CAPACITY_MIN)


def in_timeline_order(keys: Collection[K], hash_of: Callable[[K], int]) -> list[K]:
    """Return *keys* in the iteration order of a ``TimelineHashMap`` that they were added to.

    The table has never had more keys, and one of them was replaced after the last was added.
    """
    buckets = _TIMELINE_CAPACITY_MIN
    while (len(keys) + 1) * _LOAD_FACTOR > buckets:
        buckets *= 2

    def bucket(key: K) -> int:
        return (hash_of(key) * _FIBONACCI & _LONG_BITS) * buckets >> 64

    # Its iterator returns the keys of a bucket from the last to the first.
    last_first = list(keys)[::-1]
    return sorted(last_first, key=bucket)


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value
