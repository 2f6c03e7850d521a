"""The name of a share partition: a group, a topic id and a partition (``SharePartitionKey``).

Sessions, share partitions, waiting fetches and stored states are found by it, so its hash and its
text are computed once: the hash of a UUID is a function of Python. Requests name the same share
partitions again and again, so `share_partition_key` returns the key that was made first.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from broker.common.uuid_text import parse_uuid, uuid_text

# Sixteen bytes in URL-safe base64 without padding.
_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,10}")
_INT32_MIN: Final = -(2**31)
_INT32_MAX: Final = 2**31 - 1
_KEYS_KEPT: Final = 10_000


class SharePartitionKey:
    """A share partition. Its text, ``group:topicId:partition``, determines its coordinator."""

    __slots__ = ("_hash", "_names", "_text", "group_id", "partition", "topic_id")

    def __init__(self, group_id: str, topic_id: UUID, partition: int) -> None:
        self.group_id: Final = group_id
        self.topic_id: Final = topic_id
        self.partition: Final = partition
        # A tuple of Python compares equal objects by their identity first.
        self._names: tuple[Any, ...] = (group_id, topic_id, partition)
        self._hash = hash(self._names)
        self._text: str | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharePartitionKey) and self._names == other._names

    def __str__(self) -> str:
        text = self._text
        if text is None:
            text = self._text = f"{self.group_id}:{uuid_text(self.topic_id)}:{self.partition}"
        return text

    def __repr__(self) -> str:
        return f"SharePartitionKey({self})"

    @classmethod
    def parse(cls, text: str) -> SharePartitionKey | None:
        """The share partition with that text, or None if it is not one.

        The text is split from the right, because a group id may contain colons.
        """
        group_id, *rest = text.rsplit(":", 2)
        if len(rest) != 2 or not group_id:
            return None
        topic_id, partition = rest
        if not _ID.fullmatch(topic_id) or not _NUMBER.fullmatch(partition):
            return None
        if not _INT32_MIN <= int(partition) <= _INT32_MAX:
            return None
        return cls(group_id, parse_uuid(topic_id), int(partition))


@lru_cache(_KEYS_KEPT)
def share_partition_key(group_id: str, topic_id: UUID, partition: int) -> SharePartitionKey:
    """The key that a request or a record names; mostly the same object for equal names."""
    return SharePartitionKey(group_id, topic_id, partition)
