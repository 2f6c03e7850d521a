"""InitProducerId: a producer id for an idempotent producer (KIP-98).

Behaviour: the producer id is new, with epoch 0. A producer that sends its own id and epoch (v3+,
KIP-360) gets a new id too, as in Kafka without a transactional id; only one of the two is an error.

Deviations: a transactional id is TRANSACTIONAL_ID_AUTHORIZATION_FAILED until transactions are
served.
"""

from __future__ import annotations

from broker.api.request import Request
from protocol.errors import ErrorCode
from protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from protocol.record_batch.header import NO_PRODUCER_EPOCH, NO_PRODUCER_ID


def init_producer_id(request: Request[InitProducerIdRequest]) -> InitProducerIdResponse:
    """Return a new producer id, or an error."""
    body = request.body
    transactional_id = body.transactional_id
    if (body.producer_id == NO_PRODUCER_ID) != (body.producer_epoch == NO_PRODUCER_EPOCH):
        return _refusal(ErrorCode.INVALID_REQUEST)
    if transactional_id is None:
        return InitProducerIdResponse(
            producer_id=request.services.controller.next_producer_id(), producer_epoch=0
        )
    return _refusal(
        ErrorCode.INVALID_REQUEST
        if not transactional_id
        else ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    )


def _refusal(error: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=error, producer_id=-1, producer_epoch=-1)
