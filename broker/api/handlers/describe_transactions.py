"""DescribeTransactions: the state of transactional ids (KIP-664).

Behaviour: the topics are those of the open transaction; while markers are written, those without a
marker. Topics that the client may not describe are omitted. A transition that is not replicated is
not described.
"""

from __future__ import annotations

from functools import partial

from broker.api.authorization.check import DESCRIBE_TOPIC, DESCRIBE_TRANSACTIONAL_ID
from broker.api.authorization.checks import is_authorized, require
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import by_topic
from broker.steps.queue import Slices, each
from protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)


def describe_transactions(
    request: Request[DescribeTransactionsRequest],
) -> Slices[DescribeTransactionsResponse]:
    """Describe each transactional id."""
    ids = request.body.transactional_ids
    states = yield from each(partial(_describe, request), ids)
    return DescribeTransactionsResponse(transaction_states=states)


def _describe(
    request: Request[DescribeTransactionsRequest], transactional_id: str
) -> TransactionState:
    try:
        require(request, DESCRIBE_TRANSACTIONAL_ID, transactional_id)
        entry = request.services.transactions.metadata_of(transactional_id)
    except ApiError as error:
        return TransactionState(transactional_id=transactional_id, error_code=error.code)
    value = entry.value
    return TransactionState(
        transactional_id=transactional_id,
        transaction_state=value.state.label,
        transaction_timeout_ms=value.timeout_ms,
        transaction_start_time_ms=value.start_ms,
        producer_id=value.producer_id,
        producer_epoch=value.producer_epoch,
        topics=[
            TopicData(topic=name, partitions=indexes)
            for name, indexes in by_topic(sorted(entry.partitions)).items()
            if is_authorized(request, DESCRIBE_TOPIC, name)
        ],
    )
