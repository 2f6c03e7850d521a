"""The rules and transactions that keep records from readers, as wait records name them."""

from __future__ import annotations

from collections.abc import Iterable

from broker.common.topic_partition import TopicPartition
from broker.replication.hosted_partitions import HostedPartitions
from broker.wait_records.causes import Cause, CauseKind
from broker.wait_records.wait import Facts

# The events that may replicate a marker.
_REPLICATING = frozenset({CauseKind.APPEND, CauseKind.HIGH_WATERMARK})


def holding_rules(
    hosted: HostedPartitions, offsets: Iterable[tuple[TopicPartition, int]]
) -> list[Facts]:
    """The fault rules that keep high watermarks from the next offsets of readers."""
    rules: dict[int, Facts] = {}
    for key, offset in offsets:
        partition = hosted.get(key)
        leader_state = None if partition is None else partition.leader_state
        if leader_state is not None and leader_state.holds:
            found = leader_state.rules_before(offset + 1)
            rules |= {rule["rule"]: rule for rule in found}
    return list(rules.values())


def longest_held_back(hosted: HostedPartitions, keys: Iterable[TopicPartition]) -> Facts | None:
    """The transaction that has held back one of the partitions for the longest time, if any."""
    held = [each for each in (_held_back(hosted, key) for key in keys) if each]
    return max(held, key=lambda facts: facts["transaction"]["held_ms"]) if held else None


def _held_back(hosted: HostedPartitions, key: TopicPartition) -> Facts | None:
    """The transaction that limits the last stable offset of a partition, if one does."""
    partition = hosted.get(key)
    if partition is None or partition.log.last_stable_offset == partition.log.high_watermark:
        return None
    producers = partition.log.producer_state_manager
    unstable = producers.transactions.first_unstable()
    assert unstable is not None, "nothing else limits the last stable offset"
    producer = producers.producers.get(unstable.producer_id)
    return {
        "topic": key.topic,
        "partition": key.partition,
        "offset": partition.log.last_stable_offset,
        "transaction": {
            "producer_id": unstable.producer_id,
            "producer_epoch": None if producer is None else producer.epoch,
            "state": "decided" if unstable.is_decided else "open",
            "held_ms": int(unstable.held_ms),
        },
    }


def with_transaction(hosted: HostedPartitions, cause: Cause | None) -> Cause | None:
    """The end of a transaction, if *cause* is an event that replicated its marker."""
    partition = None if cause is None or cause.key is None else hosted.get(cause.key)
    if cause is None or partition is None or cause.kind not in _REPLICATING:
        return cause
    released = partition.log.producer_state_manager.transactions.released
    if released is None or cause.offset is None or released.high_watermark < cause.offset:
        return cause
    transaction = {
        "producer_id": released.completed.producer_id,
        "outcome": "abort" if released.completed.is_aborted else "commit",
        "held_ms": int(released.held_ms),
    }
    return cause._replace(kind=CauseKind.TRANSACTION, transaction=transaction)
