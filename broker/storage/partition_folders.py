"""What the folders in a data directory are called (Kafka's ``LocalLog.parseTopicPartitionName``).

A partition's folder is given another name when it is deleted, or when nobody knows its topic any
more, so that its own name is free at once.
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
    """The partition that has a folder of this name; None if that is no partition's."""
    match = _FOLDER.fullmatch(name)
    return TopicPartition(match["topic"], int(match["partition"])) if match else None


def aside(key: TopicPartition, suffix: str) -> str:
    """A name that no other folder has; the topic's is cut if that makes it too long to be one."""
    rest = f"-{key.partition}.{uuid4().hex}{suffix}"
    return key.topic[: _NAME_MAX - len(rest)] + rest
