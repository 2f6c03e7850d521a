"""Decides which batches of a Produce are validated in a worker thread, and validates them.

Most requests are short, as their batch headers show; their batches are validated when they are
appended. The others are validated before, within a time budget; if that is exceeded, a thread
validates them. The append uses the outcomes and checks the rest: leader, epochs, sequence numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from broker.common.topic_partition import TopicPartition
from broker.replication.hosted_partitions import HostedPartitions
from broker.steps.offload import Outcome
from broker.storage.log_config import LogConfig
from broker.storage.validation.append import AppendOrigin, AppendRefused, ReceivedBatch, only_batch
from broker.storage.validation.log_validator import ValidBatch, validate
from broker.storage.validation.loop_budget import Budget, ExceedsBudget
from protocol.record_batch.header import CODEC_MASK

# Of one request, if none of its batches is compressed.
SHORT_BYTES_MAX: Final = 64 * 1024
SHORT_RECORDS_MAX: Final = 4096

Validated = dict[TopicPartition, Outcome[ValidBatch]]


class Unvalidated(NamedTuple):
    """A batch that is too long to validate on the loop, and the settings of its log."""

    key: TopicPartition
    records: ReceivedBatch
    config: LogConfig


def are_short(batches: Iterable[ReceivedBatch]) -> bool:
    """Whether validating these batches takes little time, whatever their contents."""
    bytes_left, records_left = SHORT_BYTES_MAX, SHORT_RECORDS_MAX
    for batch in batches:
        bytes_left -= len(batch.records)
        header = batch.header
        if header is not None:
            records_left -= header.records_count
            if header.attributes & CODEC_MASK:
                return False
        if bytes_left < 0 or records_left < 0:
            return False
    return True


def unvalidated(
    partitions: HostedPartitions, entries: dict[TopicPartition, ReceivedBatch]
) -> list[Unvalidated]:
    """The batches of partitions that this node has; the append refuses the others."""
    found = ((key, records, partitions.get(key)) for key, records in entries.items())
    return [
        Unvalidated(key, records, partition.log.config)
        for key, records, partition in found
        if partition is not None
    ]


def validated_on_loop(
    batches: Sequence[Unvalidated], produce_version: int, now_ms: int
) -> Validated | None:
    """The outcome of each batch; None if validation exceeds the budget."""
    budget = Budget(max(1, len(batches)))
    try:
        return _validated(batches, produce_version, now_ms, budget)
    except ExceedsBudget:
        return None


def validated_in_thread(
    batches: Sequence[Unvalidated], produce_version: int, now_ms: int
) -> Validated:
    """The outcome of each batch, without a budget; a pure function."""
    return _validated(batches, produce_version, now_ms, None)


def _validated(
    batches: Sequence[Unvalidated], produce_version: int, now_ms: int, budget: Budget | None
) -> Validated:
    return {
        key: Outcome.of(
            partial(_validate, records, produce_version, key, config, now_ms, budget), AppendRefused
        )
        for key, records, config in batches
    }


def _validate(
    records: ReceivedBatch,
    produce_version: int,
    topic_partition: TopicPartition,
    config: LogConfig,
    now_ms: int,
    budget: Budget | None,
) -> ValidBatch:
    header, batch = only_batch(records, produce_version)
    client = AppendOrigin.CLIENT
    return validate(header, batch, client, topic_partition, config, now_ms, budget)
