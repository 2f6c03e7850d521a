"""What AddRaftVoter and RemoveRaftVoter have in common: the voters are static (KIP-853).

The level of the feature kraft.version is 0, with which Kafka's voters do not change. So a valid
request is UNSUPPORTED_VERSION. The id of the cluster and the voter are checked before, in the order
of Kafka's ``KafkaRaftClient``.
"""

from __future__ import annotations

from uuid import UUID

from broker.common.errors import ApiError
from protocol.errors import ErrorCode
from protocol.schema import ZERO_UUID


def check_cluster(own: str, requested: str | None) -> None:
    """Raise `ApiError` if the request names another cluster."""
    if requested not in (None, own):
        message = f'The given id "{requested}" doesn\'t match the cluster id "{own}"'
        raise ApiError(ErrorCode.INCONSISTENT_CLUSTER_ID, message)


def check_voter(verb: str, voter_id: int, directory_id: UUID) -> None:
    """Raise `ApiError` for a voter without id or directory; *verb* begins the message."""
    if voter_id < 0 or directory_id == ZERO_UUID:
        message = f"{verb} voter request didn't include a valid voter"
        raise ApiError(ErrorCode.INVALID_REQUEST, message)


def static_voters(change: str) -> ApiError:
    """The error of a valid request; *change* is what it does to a voter."""
    message = f"Cluster doesn't support {change} voter because the kraft.version feature is 0"
    return ApiError(ErrorCode.UNSUPPORTED_VERSION, message)
