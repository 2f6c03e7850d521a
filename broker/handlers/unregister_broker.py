"""UnregisterBroker: forget a node that will not come back (KIP-631).

Behaviour: a node that was never there is refused with BROKER_ID_NOT_REGISTERED, as in Kafka's
``ReplicationControlManager.unregisterBroker``.

Deviations: which nodes there are is said when the process starts, so none of them can be forgotten:
UNSUPPORTED_VERSION, by which tools understand that this cluster does not unregister.
"""

from __future__ import annotations

from broker.request import Request
from protocol.errors import ErrorCode
from protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse


def unregister_broker(request: Request[UnregisterBrokerRequest]) -> UnregisterBrokerResponse:
    """Refuse, and say why."""
    node_id = request.body.broker_id
    if node_id in request.node.image.brokers:
        return UnregisterBrokerResponse(
            error_code=ErrorCode.UNSUPPORTED_VERSION,
            error_message="The nodes of this cluster are those it was started with.",
        )
    return UnregisterBrokerResponse(
        error_code=ErrorCode.BROKER_ID_NOT_REGISTERED,
        error_message=f"Broker ID {node_id} is not currently registered",
    )
