"""InitProducerId: an id for a producer that wants no duplicates (KIP-98).

Behaviour: an id that was never given before, with epoch 0; a producer that names its own id and
epoch (v3+, KIP-360) gets a fresh id too, as Kafka answers producers without a transactional id.

Deviations: a transactional id is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED until
transactions are served.
"""

from __future__ import annotations

from broker.request import Request
from protocol.errors import ErrorCode
from protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse


def init_producer_id(request: Request[InitProducerIdRequest]) -> InitProducerIdResponse:
    """A new producer id, or a refusal."""
    transactional_id = request.body.transactional_id
    if transactional_id is None:
        return InitProducerIdResponse(
            producer_id=request.node.controller.next_producer_id(), producer_epoch=0
        )
    error = (
        ErrorCode.INVALID_REQUEST
        if not transactional_id
        else ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    )
    return InitProducerIdResponse(error_code=error, producer_id=-1, producer_epoch=-1)
