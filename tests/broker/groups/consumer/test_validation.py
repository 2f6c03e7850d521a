"""Validation of heartbeats (mirrors testConsumerHeartbeatRequestValidation)."""

from __future__ import annotations

from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from broker.groups.consumer.validation import check_heartbeat
from protocol.errors import ErrorCode

JOINING: dict[str, Any] = {
    "group_id": "g",
    "member_id": "m",
    "member_epoch": 0,
    "rebalance_timeout_ms": 60_000,
    "subscribed_topic_names": frozenset({"t"}),
    "owned": {},
}


def refusal(version: int = 1, **fields: Any) -> ApiError | None:
    """The error of a first heartbeat with *fields*."""
    try:
        check_heartbeat(ConsumerGroupHeartbeat(**JOINING | fields), version, ["uniform", "range"])
    except ApiError as error:
        return error
    return None


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"subscribed_topic_names": None, "subscribed_topic_regex": "t.*"},
        {"subscribed_topic_names": frozenset()},
        {"instance_id": "i", "rack_id": "r", "server_assignor": "range"},
        {"member_epoch": 7, "rebalance_timeout_ms": -1, "subscribed_topic_names": None},
        {"member_epoch": -1},
        {"member_epoch": -2, "instance_id": "i"},
    ],
)
def test_valid_heartbeats_pass(fields: dict[str, Any]) -> None:
    """Group and member are checked later."""
    assert refusal(**fields) is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"member_id": ""}, "MemberId can't be empty."),
        ({"group_id": ""}, "GroupId can't be empty."),
        ({"group_id": "  "}, "GroupId can't be empty."),
        ({"instance_id": ""}, "InstanceId can't be empty."),
        ({"rack_id": ""}, "RackId can't be empty."),
        ({"member_epoch": -3}, "MemberEpoch is invalid."),
        ({"member_epoch": -2}, "InstanceId can't be null."),
        ({"rebalance_timeout_ms": -1}, "RebalanceTimeoutMs must be provided in first request."),
        ({"owned": None}, "TopicPartitions must be empty when (re-)joining."),
        ({"owned": {"t": [0]}}, "TopicPartitions must be empty when (re-)joining."),
        (
            {"subscribed_topic_names": None},
            (
                "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null "
                "when (re-)joining."
            ),
        ),
    ],
)
def test_invalid_heartbeats_are_refused(fields: dict[str, Any], message: str) -> None:
    """With Kafka's messages."""
    error = refusal(**fields)

    assert error is not None
    assert (error.code, error.message) == (ErrorCode.INVALID_REQUEST, message)


def test_before_version_1_a_new_member_has_no_id() -> None:
    """It gets one and must send it afterwards (KIP-1082)."""
    assert refusal(0, member_id="") is None
    assert refusal(0, member_id="", member_epoch=1) is not None


def test_before_version_1_the_group_checks_the_missing_id_of_a_leaving_static_member() -> None:
    """It fences the member by its instance id; a dynamic member is refused before."""
    assert refusal(0, member_id="", member_epoch=-2, instance_id="i") is None
    error = refusal(0, member_id="", member_epoch=-1)
    assert error is not None
    assert error.message == "MemberId can't be empty."


def test_an_unknown_assignor_is_refused() -> None:
    """The message lists the supported ones."""
    error = refusal(server_assignor="sticky")

    assert error is not None
    assert error.code is ErrorCode.UNSUPPORTED_ASSIGNOR
    assert error.message == (
        "ServerAssignor sticky is not supported. Supported assignors: uniform, range."
    )
