"""Short functions for requests of transactional producers, and for those about them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from integration.parity.requests import batch
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from protocol.messages.describe_transactions import DescribeTransactionsRequest
from protocol.messages.end_txn import EndTxnRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.list_transactions import ListTransactionsRequest
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from protocol.record_batch.header import TRANSACTIONAL_BIT

TRANSACTION = 1  # the key type of FindCoordinator
TIMEOUT_MS = 60_000
Partitions = Mapping[str, Sequence[int]]


class Identity(NamedTuple):
    """The id and the epoch of a producer."""

    producer_id: int
    epoch: int


NOBODY = Identity(-1, -1)


def init_producer_id(
    transactional_id: str | None, *, timeout_ms: int = TIMEOUT_MS, known: Identity = NOBODY
) -> InitProducerIdRequest:
    """InitProducerId; *known* is the producer's present identity (v3+)."""
    return InitProducerIdRequest(
        transactional_id=transactional_id,
        transaction_timeout_ms=timeout_ms,
        producer_id=known.producer_id,
        producer_epoch=known.epoch,
    )


def add_partitions(
    transactional_id: str, producer: Identity, partitions: Partitions
) -> AddPartitionsToTxnRequest:
    """AddPartitionsToTxn of a client (up to v3)."""
    return AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=transactional_id,
        v3_and_below_producer_id=producer.producer_id,
        v3_and_below_producer_epoch=producer.epoch,
        v3_and_below_topics=_added(partitions),
    )


def in_batch(
    transactional_id: str, producer: Identity, partitions: Partitions, *, verify: bool = False
) -> AddPartitionsToTxnTransaction:
    """One transaction of `add_in_batch`."""
    return AddPartitionsToTxnTransaction(
        transactional_id=transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        verify_only=verify,
        topics=_added(partitions),
    )


def add_in_batch(*transactions: AddPartitionsToTxnTransaction) -> AddPartitionsToTxnRequest:
    """AddPartitionsToTxn of a broker (v4+)."""
    return AddPartitionsToTxnRequest(transactions=list(transactions))


def add_offsets(transactional_id: str, producer: Identity, group: str) -> AddOffsetsToTxnRequest:
    """AddOffsetsToTxn."""
    return AddOffsetsToTxnRequest(
        transactional_id=transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        group_id=group,
    )


def end_txn(transactional_id: str, producer: Identity, *, commit: bool) -> EndTxnRequest:
    """EndTxn."""
    return EndTxnRequest(
        transactional_id=transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        committed=commit,
    )


def commit_in_txn(
    transactional_id: str,
    producer: Identity,
    group: str,
    topic: str,
    offsets: Mapping[int, int],
    *,
    member: str = "",
    generation: int = -1,
    instance: str | None = None,
    metadata: str | None = "",
) -> TxnOffsetCommitRequest:
    """TxnOffsetCommit; the member's fields need v3+."""
    partitions = [
        TxnOffsetCommitRequestPartition(
            partition_index=index, committed_offset=offset, committed_metadata=metadata
        )
        for index, offset in offsets.items()
    ]
    return TxnOffsetCommitRequest(
        transactional_id=transactional_id,
        group_id=group,
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        generation_id=generation,
        member_id=member,
        group_instance_id=instance,
        topics=[TxnOffsetCommitRequestTopic(name=topic, partitions=partitions)],
    )


def marker(
    producer: Identity,
    partitions: Partitions,
    *,
    commit: bool = True,
    coordinator_epoch: int = 0,
    transaction_version: int = 0,
) -> WritableTxnMarker:
    """One marker of `write_markers`."""
    return WritableTxnMarker(
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        transaction_result=commit,
        topics=[
            WritableTxnMarkerTopic(name=name, partition_indexes=list(indexes))
            for name, indexes in partitions.items()
        ],
        coordinator_epoch=coordinator_epoch,
        transaction_version=transaction_version,
    )


def write_markers(*markers: WritableTxnMarker) -> WriteTxnMarkersRequest:
    """WriteTxnMarkers."""
    return WriteTxnMarkersRequest(markers=list(markers))


def describe_transactions(*transactional_ids: str) -> DescribeTransactionsRequest:
    """DescribeTransactions."""
    return DescribeTransactionsRequest(transactional_ids=list(transactional_ids))


def list_transactions(
    *,
    states: Sequence[str] = (),
    producer_ids: Sequence[int] = (),
    duration_ms: int = -1,
    pattern: str | None = None,
) -> ListTransactionsRequest:
    """ListTransactions; a duration needs v1+, a pattern v2+."""
    return ListTransactionsRequest(
        state_filters=list(states),
        producer_id_filters=list(producer_ids),
        duration_filter=duration_ms,
        transactional_id_pattern=pattern,
    )


def describe_producers(topic: str, *partitions: int) -> DescribeProducersRequest:
    """DescribeProducers."""
    named = TopicRequest(name=topic, partition_indexes=list(partitions))
    return DescribeProducersRequest(topics=[named])


def transactional_batch(
    producer: Identity, sequence: int, *values: str | None, at: int | None = None
) -> bytes:
    """A batch of a transaction.

    Its time is the present one, because the log rolls at a marker that is much later.
    """
    return batch(
        *values,
        at=now_ms() if at is None else at,
        producer=(producer.producer_id, producer.epoch, sequence),
        attributes=TRANSACTIONAL_BIT,
    )


def now_ms() -> int:
    """The present time."""
    return time.time_ns() // 1_000_000


def _added(partitions: Partitions) -> list[AddPartitionsToTxnTopic]:
    return [
        AddPartitionsToTxnTopic(name=name, partitions=list(indexes))
        for name, indexes in partitions.items()
    ]
