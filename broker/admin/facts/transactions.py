"""Open transactions, hanging transactions, and their abort by an administrator (KIP-664).

A transaction *hangs* if it is open in a partition and no coordinator has this partition in an open
transaction of its producer. No marker is then written, and the last stable offset does not advance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

import trio

from broker.admin.facts.json_object import JsonObject
from broker.api.handlers.transactions.marker_results import MarkerResults, write_marker
from broker.common.errors import WrongState
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC, MetadataImage
from broker.node import Node
from broker.replication.partition import Partition
from broker.steps.queue import finish
from broker.storage.producers.producer_state_entry import NO_OFFSET, ProducerStateEntry
from broker.transactions.metadata import TransactionMetadata
from broker.transactions.transaction_state import TransactionState
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import WritableTxnMarker, WritableTxnMarkerTopic
from protocol.printable import printable

# The lenient rules for epochs, as Kafka's tool requests them.
_TRANSACTION_VERSION = 0


def open_transactions(nodes: Iterable[Node], limit: int) -> list[JsonObject]:
    """At most *limit* open transactions, the oldest first, as docs/reference/admin.md lists them.

    An open transaction is Ongoing, or its outcome is decided and markers are outstanding.
    """
    found = [
        _described(node, entry)
        for node in nodes
        for entry in node.transactions.states.all_entries()
        if _is_open(entry)
    ]
    return sorted(found, key=itemgetter("age_ms"), reverse=True)[:limit]


def _is_open(entry: TransactionMetadata) -> bool:
    return entry.value.state is TransactionState.ONGOING or entry.value.state.is_prepared


def _described(node: Node, entry: TransactionMetadata) -> JsonObject:
    value = entry.value
    return {
        "node": node.id,
        "transactional_id": printable(entry.transactional_id),
        "producer_id": value.producer_id,
        "producer_epoch": value.producer_epoch,
        "state": value.state.label,
        "age_ms": max(0, node.clock.wall_ms() - value.start_ms),
        "timeout_ms": value.timeout_ms,
        "partitions": [
            {
                "topic": key.topic,
                "partition": key.partition,
                "has_marker": value.state.is_prepared and key not in entry.without_marker,
            }
            for key in value.partitions
        ],
        "markers_outstanding": len(entry.without_marker) if value.state.is_prepared else 0,
    }


def hanging_transactions(
    nodes: Sequence[Node], image: MetadataImage, limit: int
) -> list[JsonObject]:
    """At most *limit* hanging transactions, those that have been open for the longest time first.

    Raises `WrongState` if a partition of ``__transaction_state`` has no coordinator, because its
    transactions are not known.
    """
    _check_coordinators(nodes, image)
    held = _partitions_in_transactions(nodes)
    found = [
        {
            "node": node.id,
            "topic": key.topic,
            "partition": key.partition,
            "producer_id": producer.producer_id,
            "producer_epoch": producer.epoch,
            "coordinator_epoch": producer.coordinator_epoch,
            "first_offset": producer.current_txn_first_offset,
            "age_ms": max(0, node.clock.wall_ms() - producer.last_timestamp),
        }
        for node in nodes
        for key, partition in list(node.replicas.partitions.items())
        if partition.is_leader
        for producer in _producers_in_transactions(partition)
        if (producer.producer_id, key) not in held
    ]
    return sorted(found, key=itemgetter("age_ms"), reverse=True)[:limit]


def _check_coordinators(nodes: Sequence[Node], image: MetadataImage) -> None:
    topic = image.topic(TRANSACTION_STATE_TOPIC)
    expected = 0 if topic is None else len(topic.partitions)
    loaded = {index for node in nodes for index in node.transactions.states.partitions()}
    missing = [index for index in range(expected) if index not in loaded]
    if missing:
        raise WrongState(
            f"partition {missing[0]} of {TRANSACTION_STATE_TOPIC} has no coordinator, so it is not "
            "known which transactions hang; start its nodes, or wait until it is loaded"
        )


def _partitions_in_transactions(nodes: Iterable[Node]) -> set[tuple[int, TopicPartition]]:
    """Producer id and partition of all open transactions, as the coordinators know them."""
    return {
        (entry.value.producer_id, key)
        for node in nodes
        for entry in node.transactions.states.all_entries()
        if _is_open(entry)
        for key in entry.value.partitions
    }


def _producers_in_transactions(partition: Partition) -> list[ProducerStateEntry]:
    producers = partition.log.producer_state_manager
    entries = map(producers.producers.get, producers.transactions.ongoing.values())
    return [each for each in entries if each is not None]


async def abort_transaction(
    nodes: Sequence[Node], image: MetadataImage, key: TopicPartition, producer_id: int
) -> JsonObject:
    """Write an abort marker for a hanging transaction; returns its facts after the replication.

    The marker has the producer's epoch and the last coordinator epoch, as that of Kafka's
    ``kafka-transactions.sh abort``. Raises `WrongState` if there is no such transaction, if it does
    not hang, or if the marker is refused or not replicated in time.
    """
    node, producer = _find(nodes, key, producer_id)
    hanging = hanging_transactions(nodes, image, len(node.replicas.partitions) + 10_000)
    facts = next((each for each in hanging if _is_in(each, key, producer_id)), None)
    if facts is None:
        raise WrongState(
            f"the transaction of producer id {producer_id} in {key} does not hang: its producer, "
            "or its coordinator after the timeout, ends it"
        )
    error = await _write_abort(node, key, producer)
    if error:
        raise WrongState(f"the abort marker in {key} failed with {error.name}")
    return facts


def _find(
    nodes: Sequence[Node], key: TopicPartition, producer_id: int
) -> tuple[Node, ProducerStateEntry]:
    """The leader of the partition, and the producer with an open transaction there."""
    for node in nodes:
        partition = node.replicas.partitions.get(key)
        if partition is not None and partition.is_leader:
            producer = partition.log.producer_state_manager.producers.get(producer_id)
            if producer is None or producer.current_txn_first_offset == NO_OFFSET:
                raise WrongState(f"producer id {producer_id} has no open transaction in {key}")
            return node, producer
    raise WrongState(f"{key} has no running leader")


def _is_in(facts: JsonObject, key: TopicPartition, producer_id: int) -> bool:
    return (facts["topic"], facts["partition"], facts["producer_id"]) == (*key, producer_id)


async def _write_abort(node: Node, key: TopicPartition, producer: ProducerStateEntry) -> ErrorCode:
    results, written = MarkerResults(), trio.Event()
    results.on_complete = lambda _: written.set()
    marker = WritableTxnMarker(
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        transaction_result=False,
        topics=[WritableTxnMarkerTopic(name=key.topic, partition_indexes=[key.partition])],
        coordinator_epoch=max(producer.coordinator_epoch, 0),
        transaction_version=_TRANSACTION_VERSION,
    )
    finish(write_marker(node.services, marker, results))
    node.replicas.actions.try_complete_actions()
    await written.wait()
    return results.errors[producer.producer_id][key]
