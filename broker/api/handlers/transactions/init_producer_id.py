"""InitProducerId: an identity for an idempotent or transactional producer (KIP-98, KIP-360).

Behaviour: an idempotent producer gets a new id with epoch 0, also if it sends one. A transactional
producer gets the id of its transactional id with a bumped epoch, which fences its predecessor. A
transaction that is open is aborted first; the error is CONCURRENT_TRANSACTIONS, which clients
retry. The response is sent when the record of the identity is replicated. An idempotent producer
must be authorized for IDEMPOTENT_WRITE or, since KIP-679, to write to any topic.

Versions: 3 the producer's own id and epoch (KIP-360), 4 PRODUCER_FENCED instead of
INVALID_PRODUCER_EPOCH (KIP-588), 5 TRANSACTION_ABORTABLE.
"""

from __future__ import annotations

from functools import partial

from broker.api.authorization.check import IDEMPOTENT_WRITE, WRITE_TOPIC, WRITE_TRANSACTIONAL_ID
from broker.api.authorization.checks import is_authorized_on_any, require
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.handlers.transactions.transaction_waits import TransactionStateWait
from broker.api.handlers.wait_rules import transaction_rules
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.transactions.requests import InitProducerId, InitProducerIdResult, ProducerIdAndEpoch
from protocol.errors import ErrorCode
from protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from protocol.record_batch.header import NO_PRODUCER_EPOCH, NO_PRODUCER_ID

_PRODUCER_FENCED_SINCE = 4


def init_producer_id(
    request: Request[InitProducerIdRequest],
) -> InitProducerIdResponse | Outcome:
    """Return an identity, or an error; the response may be sent before this returns."""
    body = request.body
    if request.services.authorizer is not None:
        _authorize(request)
    own_id, own_epoch = body.producer_id, body.producer_epoch
    if (own_id == NO_PRODUCER_ID) != (own_epoch == NO_PRODUCER_EPOCH):
        return _refusal(ErrorCode.INVALID_REQUEST)
    if body.transactional_id is None:
        return _new_producer_id(request)
    initialization = InitProducerId(
        transactional_id=body.transactional_id,
        timeout_ms=body.transaction_timeout_ms,
        expected=None if own_id == NO_PRODUCER_ID else ProducerIdAndEpoch(own_id, own_epoch),
    )

    def response(result: InitProducerIdResult) -> InitProducerIdResponse:
        error = result.error
        if error is ErrorCode.PRODUCER_FENCED and request.version < _PRODUCER_FENCED_SINCE:
            error = ErrorCode.INVALID_PRODUCER_EPOCH
        return InitProducerIdResponse(
            error_code=error, producer_id=result.producer_id, producer_epoch=result.producer_epoch
        )

    transactions = request.services.transactions
    wait = TransactionStateWait(
        body.transactional_id,
        transactions.value_in_writing,
        body.transaction_timeout_ms,
        partial(transaction_rules, request.services, body.transactional_id),
    )
    callback = ResponseCallback(request, response, wait)
    transactions.init_producer_id(initialization, callback)
    return PARKED


def _authorize(request: Request[InitProducerIdRequest]) -> None:
    """Raise `ApiError` unless the client may have an identity."""
    transactional_id = request.body.transactional_id
    if transactional_id is not None:
        require(request, WRITE_TRANSACTIONAL_ID, transactional_id)
    elif not is_authorized_on_any(request, WRITE_TOPIC):
        require(request, IDEMPOTENT_WRITE)


def _new_producer_id(request: Request[InitProducerIdRequest]) -> InitProducerIdResponse:
    try:
        producer_id = request.services.producer_ids.generate()
    except ApiError as refusal:
        return _refusal(refusal.code)
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)


def _refusal(error: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=error, producer_id=-1, producer_epoch=-1)
