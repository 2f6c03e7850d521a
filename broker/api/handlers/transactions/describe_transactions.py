"""DescribeTransactions: the state of transactional ids (KIP-664).

Behaviour: the topics are those of the open transaction; while markers are written, those without a
marker. Topics that the client may not describe are omitted. A transition that is not replicated is
not described.
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_TOPIC, DESCRIBE_TRANSACTIONAL_ID
from broker.api.authorization.checks import is_authorized, require
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import Slices
from broker.transactions.transaction_partitions import TransactionPartitions
from protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    EncodedDescribeTransactionsResponse,
    TopicData,
    TransactionState,
)
from protocol.slices import encode_item


def describe_transactions(
    request: Request[DescribeTransactionsRequest],
) -> Slices[EncodedDescribeTransactionsResponse]:
    """Describe each transactional id as often as it is named, from one description."""
    ids = request.body.transactional_ids
    states: dict[str, bytes] = {}
    for transactional_id in dict.fromkeys(ids):
        state = yield from _describe(request, transactional_id)
        states[transactional_id] = yield from encode_item(
            DescribeTransactionsResponse, request.version, state
        )
        yield None
    return EncodedDescribeTransactionsResponse(transaction_states=[states[each] for each in ids])


def _describe(
    request: Request[DescribeTransactionsRequest], transactional_id: str
) -> Slices[TransactionState]:
    try:
        require(request, DESCRIBE_TRANSACTIONAL_ID, transactional_id)
        entry = request.services.transactions.metadata_of(transactional_id)
    except ApiError as error:
        return TransactionState(transactional_id=transactional_id, error_code=error.code)
    value = entry.value
    topics = yield from _topics(request, value.partitions, frozenset(entry.partitions))
    return TransactionState(
        transactional_id=transactional_id,
        transaction_state=value.state.label,
        transaction_timeout_ms=value.timeout_ms,
        transaction_start_time_ms=value.start_ms,
        producer_id=value.producer_id,
        producer_epoch=value.producer_epoch,
        topics=topics,
    )


def _topics(
    request: Request[DescribeTransactionsRequest],
    partitions: TransactionPartitions,
    described: frozenset[TopicPartition],
) -> Slices[list[TopicData]]:
    """The topics of *partitions* with those that are *described*."""
    topics = []
    for name, of_topic in partitions.by_topic():
        indexes = [each.partition for each in of_topic if each in described]
        if indexes and is_authorized(request, DESCRIBE_TOPIC, name):
            topics.append(TopicData(topic=name, partitions=indexes))
        yield None
    return topics
