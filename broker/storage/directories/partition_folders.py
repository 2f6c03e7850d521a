"""The names of partitions' directories (Kafka's ``LocalLog.parseTopicPartitionName``).

The directory of a deleted or unknown partition is renamed, so that its name can be used again.
"""

from __future__ import annotations

import re
from uuid import uuid4

from broker.common.topic_partition import TopicPartition

DELETED = "-delete"
STRAY = "-stray"

_FOLDER = re.compile(r"(?P<topic>.+)-(?P<partition>0|[1-9][0-9]*)")
_NAME_MAX = 255


def partition_of(name: str) -> TopicPartition | None:
    """The partition of a directory name; None if it is not that of a partition."""
    match = _FOLDER.fullmatch(name)
    return TopicPartition(match["topic"], int(match["partition"])) if match else None


def aside(key: TopicPartition, suffix: str) -> str:
    """A unique directory name with *suffix*; a long topic name is cut."""
    rest = f"-{key.partition}.{uuid4().hex}{suffix}"
    return key.topic[: _NAME_MAX - len(rest)] + rest
