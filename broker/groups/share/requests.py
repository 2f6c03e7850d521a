"""Requests and responses of share groups, independent of the version of the API."""

from __future__ import annotations

from broker.common.errors import ApiError
from broker.groups.share.member import Partitions
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

JOINING_EPOCH = 0
LEAVING_EPOCH = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroupHeartbeat:
    """A ShareGroupHeartbeat request; None means that a field is unchanged."""

    group_id: str
    member_id: str
    member_epoch: int
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: frozenset[str] | None = None

    def check(self) -> None:
        """Raise `ApiError` if it is invalid, without its group."""
        for name, value in (("GroupId", self.group_id), ("RackId", self.rack_id)):
            if value is not None and not value.strip():
                raise _invalid(f"{name} can't be empty.")
        if self.member_epoch == JOINING_EPOCH and not self.subscribed_topic_names:
            raise _invalid("SubscribedTopicNames must be set in first request.")
        if self.member_epoch < LEAVING_EPOCH:
            raise _invalid("MemberEpoch is invalid.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroupHeartbeatResult:
    """A response; ``assigned`` is None if the assignment is unchanged."""

    member_id: str
    member_epoch: int
    heartbeat_interval_ms: int = 0
    assigned: Partitions | None = None


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
