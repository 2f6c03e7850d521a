"""The counts that an application has written to a topic."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Mapping

from confluent_kafka import Consumer, KafkaError, TopicPartition

from integration.machine.deadlines import eventually

_WITHIN_SECONDS = 120


def committed_counts(
    bootstrap: str, topic: str, partitions: int, at_least: int = 0
) -> Mapping[str, list[int]]:
    """The committed counts of each word, in order: to the end, and at least so many records."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "check",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "log_level": 0,
        }
    )
    consumer.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    counts: dict[str, list[int]] = defaultdict(list)
    ended: set[int] = set()

    def all_read() -> bool:
        message = consumer.poll(1)
        if message is None:
            return False
        error = message.error()
        if error is None:
            ended.discard(message.partition() or 0)
            (count,) = struct.unpack(">q", message.value() or b"")
            counts[(message.key() or b"").decode()].append(count)
        elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - the name of a public constant
            ended.add(message.partition() or 0)
        return len(ended) == partitions and sum(map(len, counts.values())) >= at_least

    eventually(all_read, f"{at_least} committed counts", within=_WITHIN_SECONDS)
    consumer.close()
    return dict(counts)
