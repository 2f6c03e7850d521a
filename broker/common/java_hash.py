"""Hashes as Java computes them, and the order in which its hash tables hand out what they hold.

Kafka finds a group's partition by the hash of its name. Its assignors go through members and topics
in the order of a ``HashMap``; going the same way makes the same members get the same partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from struct import iter_unpack
from typing import TypeVar
from uuid import UUID

K = TypeVar("K")

_INT_BITS = 0xFFFF_FFFF
_CAPACITY_MIN = 16
_LOAD_FACTOR = 0.75


def string_hash(text: str) -> int:
    """``String.hashCode``."""
    value = 0
    for (unit,) in iter_unpack("<H", text.encode("utf-16-le", "surrogatepass")):
        value = (value * 31 + unit) & _INT_BITS
    return _signed(value)


def uuid_hash(topic_id: UUID) -> int:
    """``Uuid.hashCode`` of Kafka's own class."""
    mixed = (topic_id.int >> 64) ^ (topic_id.int & 0xFFFF_FFFF_FFFF_FFFF)
    return _signed((mixed >> 32) ^ (mixed & _INT_BITS))


def in_hash_order(keys: Collection[K], hash_of: Callable[[K], int]) -> list[K]:
    """*keys* in the order of a ``HashMap`` that they were put into one after the other."""
    capacity = _CAPACITY_MIN
    while len(keys) > capacity * _LOAD_FACTOR:
        capacity *= 2

    def bucket(key: K) -> int:
        value = hash_of(key) & _INT_BITS
        return (value ^ value >> 16) & (capacity - 1)

    return sorted(keys, key=bucket)


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value
