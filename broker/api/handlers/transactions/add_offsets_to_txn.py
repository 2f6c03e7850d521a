"""AddOffsetsToTxn: adds the offsets of a group to a transaction (KIP-98).

Behaviour: the group's partition of ``__consumer_offsets`` is added. The response is sent when the
record of the transaction is replicated.

Versions: 2 PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588), 4 TRANSACTION_ABORTABLE.
Producers of transaction protocol 2 do not use it: TxnOffsetCommit adds the partition (KIP-890).
"""

from __future__ import annotations

from functools import partial

from broker.api.authorization.check import READ_GROUP, WRITE_TRANSACTIONAL_ID
from broker.api.authorization.checks import require
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.handlers.transactions.transaction_errors import as_old_error
from broker.api.handlers.transactions.transaction_waits import TransactionStateWait
from broker.api.handlers.wait_rules import transaction_rules
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from protocol.errors import ErrorCode
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse


def add_offsets_to_txn(request: Request[AddOffsetsToTxnRequest]) -> Outcome:
    """Add the group's partition; the response may be sent before this returns."""
    body, services = request.body, request.services
    require(request, WRITE_TRANSACTIONAL_ID, body.transactional_id)
    require(request, READ_GROUP, body.group_id)
    index = services.groups.runtime.partition_for(body.group_id)

    def response(error: ErrorCode) -> AddOffsetsToTxnResponse:
        return AddOffsetsToTxnResponse(error_code=as_old_error(error, request.version))

    rules = partial(transaction_rules, services, body.transactional_id)
    wait = TransactionStateWait(
        body.transactional_id, services.transactions.value_in_writing, rules=rules
    )
    services.transactions.add_partitions(
        body.transactional_id,
        body.producer_id,
        body.producer_epoch,
        [TopicPartition(GROUP_METADATA_TOPIC, index)],
        0,
        ResponseCallback(request, response, wait),
    )
    return PARKED
