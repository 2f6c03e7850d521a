"""Checks of a heartbeat without its group (``GroupCoordinatorService``)."""

from __future__ import annotations

from collections.abc import Sequence

from broker.common.errors import ApiError
from broker.groups.consumer.member import LEAVING_EPOCH, LEAVING_STATIC_EPOCH
from broker.groups.consumer.requests import UNCHANGED_MS, ConsumerGroupHeartbeat
from protocol.errors import ErrorCode

# Members choose their own ids (KIP-1082).
_OWN_MEMBER_IDS_SINCE = 1


def check_heartbeat(
    request: ConsumerGroupHeartbeat, api_version: int, assignors: Sequence[str]
) -> None:
    """Raise `ApiError` if *request* is invalid."""
    epoch = request.member_epoch
    must_have_id = api_version >= _OWN_MEMBER_IDS_SINCE or epoch > 0 or epoch == LEAVING_EPOCH
    if must_have_id and not request.member_id:
        raise _invalid("MemberId can't be empty.")
    for name, value in (
        ("GroupId", request.group_id),
        ("InstanceId", request.instance_id),
        ("RackId", request.rack_id),
    ):
        if value is not None and not value.strip():
            raise _invalid(f"{name} can't be empty.")
    if request.member_epoch < LEAVING_STATIC_EPOCH:
        raise _invalid("MemberEpoch is invalid.")
    if request.member_epoch == LEAVING_STATIC_EPOCH and request.instance_id is None:
        raise _invalid("InstanceId can't be null.")
    if request.is_joining:
        _check_first(request)
    if request.server_assignor is not None and request.server_assignor not in assignors:
        raise ApiError(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {request.server_assignor} is not supported. "
            f"Supported assignors: {', '.join(assignors)}.",
        )


def _check_first(request: ConsumerGroupHeartbeat) -> None:
    if request.rebalance_timeout_ms == UNCHANGED_MS:
        raise _invalid("RebalanceTimeoutMs must be provided in first request.")
    if request.owned is None or request.owned:
        raise _invalid("TopicPartitions must be empty when (re-)joining.")
    if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
        raise _invalid(
            "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null "
            "when (re-)joining."
        )


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
