"""The name of a share partition: a group, a topic id and a partition (``SharePartitionKey``)."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple
from uuid import UUID

# Sixteen bytes in URL-safe base64 without padding.
_ID = re.compile(r"[A-Za-z0-9_-]{22}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,10}")
_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1


class SharePartitionKey(NamedTuple):
    """A share partition. Its text, ``group:topicId:partition``, is what it is coordinated by."""

    group_id: str
    topic_id: UUID
    partition: int

    def __str__(self) -> str:
        return f"{self.group_id}:{_id_text(self.topic_id)}:{self.partition}"

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
        return cls(group_id, UUID(bytes=urlsafe_b64decode(topic_id + "==")), int(partition))


def _id_text(topic_id: UUID) -> str:
    return urlsafe_b64encode(topic_id.bytes).rstrip(b"=").decode()
