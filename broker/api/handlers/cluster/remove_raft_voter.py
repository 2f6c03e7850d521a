"""RemoveRaftVoter: refuses to remove a voter from those of the cluster metadata (KIP-853).

Behaviour: `broker.api.handlers.cluster.static_voters`.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.cluster.static_voters import check_cluster, check_voter, static_voters
from broker.api.request import Request
from broker.common.errors import ApiError
from protocol.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse


def remove_raft_voter(request: Request[RemoveRaftVoterRequest]) -> RemoveRaftVoterResponse:
    """Return why the voter is not removed."""
    require(request, ALTER_CLUSTER)
    body = request.body
    try:
        check_cluster(request.services.image.cluster_id, body.cluster_id)
        check_voter("Remove", body.voter_id, body.voter_directory_id)
        raise static_voters("removing")
    except ApiError as error:
        return RemoveRaftVoterResponse(error_code=error.code, error_message=error.message)
