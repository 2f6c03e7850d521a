"""AddRaftVoter: refuses to add a voter to those of the cluster metadata (KIP-853).

Behaviour: `broker.api.handlers.cluster.static_voters`. A request without the listener of the
controllers is INVALID_REQUEST.

Deviation: a listener without a name ends the process of Kafka 4.3; here it is INVALID_REQUEST.
"""

from __future__ import annotations

from collections.abc import Sequence

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.cluster.describe_quorum import CONTROLLER_LISTENER
from broker.api.handlers.cluster.static_voters import check_cluster, check_voter, static_voters
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.java_hash import in_checked_order
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse, Listener


def add_raft_voter(request: Request[AddRaftVoterRequest]) -> Slices[AddRaftVoterResponse]:
    """Return why the voter is not added."""
    require(request, ALTER_CLUSTER)
    body = request.body
    try:
        check_cluster(request.services.image.cluster_id, body.cluster_id)
        check_voter("Add", body.voter_id, body.voter_directory_id)
        yield from _check_listeners(body.listeners)
        raise static_voters("adding")
    except ApiError as error:
        return AddRaftVoterResponse(error_code=error.code, error_message=error.message)


def _check_listeners(listeners: Sequence[Listener]) -> Slices[None]:
    """Refuse listeners without that of the controllers; the message has them as in Kafka."""
    addresses: dict[str, str] = {}
    for piece in pieces(listeners):
        for each in piece:
            addresses[each.name.upper()] = f"{each.host}/<unresolved>:{each.port}"
        yield None
    if CONTROLLER_LISTENER in addresses and all(map(str.strip, addresses)):
        return
    shown = ", ".join(
        f"ListenerName({name})={addresses[name]}"
        for name in in_checked_order(addresses, len(listeners))
    )
    raise ApiError(
        ErrorCode.INVALID_REQUEST,
        f"Add voter request didn't include the endpoint (Endpoints(endpoints={{{shown}}})) "
        f"for the default listener ListenerName({CONTROLLER_LISTENER})",
    )
