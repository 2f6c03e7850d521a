"""UnregisterBroker: forget a node that will not come back (KIP-631).

Behaviour: a node that is alive is forgotten, too: it loses its leaderships, is in sync nowhere, and
comes back when it is started again. A node that is not registered is BROKER_ID_NOT_REGISTERED, as
in Kafka's ``ReplicationControlManager.unregisterBroker``.
"""

from __future__ import annotations

from broker.api.request import Request
from broker.common.errors import ApiError
from protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse


def unregister_broker(request: Request[UnregisterBrokerRequest]) -> UnregisterBrokerResponse:
    """Forget the node."""
    try:
        request.services.controller.unregister(request.body.broker_id)
    except ApiError as error:
        return UnregisterBrokerResponse(error_code=error.code, error_message=error.message)
    return UnregisterBrokerResponse(error_message="")
