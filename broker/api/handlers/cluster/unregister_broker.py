"""UnregisterBroker: removes a node from the cluster for good (KIP-631).

Behaviour: an alive node is removed too: it loses its leaderships, is removed from every in-sync
set, and registers again when it is restarted. A node that is not registered is
BROKER_ID_NOT_REGISTERED, as in Kafka's ``ReplicationControlManager.unregisterBroker``.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.request import Request
from broker.common.errors import ApiError
from protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse


def unregister_broker(request: Request[UnregisterBrokerRequest]) -> UnregisterBrokerResponse:
    """Remove the node."""
    require(request, ALTER_CLUSTER)
    try:
        request.services.controller.unregister(request.body.broker_id)
    except ApiError as error:
        return UnregisterBrokerResponse(error_code=error.code, error_message=error.message)
    return UnregisterBrokerResponse(error_message="")
