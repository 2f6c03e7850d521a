"""Heartbeats that are refused without their group, as a Kafka 4.3.1 refuses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.member import Endpoint
from broker.groups.streams.requests import OwnedTasks
from broker.groups.streams.topology import InternalTopic, Subtopology
from broker.groups.streams.validation import check_heartbeat
from protocol.errors import ErrorCode
from tests.broker.groups.streams.topics.topologies import topology
from tests.broker.groups.streams.world import NOTHING, TOPOLOGY, beating, joining, owned

TASKS = [("0", [0])]
WITH_REGEX = topology(Subtopology(subtopology_id="0", source_topic_regex=("in.*",)))
WITH_FIXED_CHANGELOG = topology(
    Subtopology(
        subtopology_id="0",
        source_topics=("in",),
        state_changelog_topics=(InternalTopic(name="ch", partitions=3),),
    )
)
# What is wrong with a heartbeat, in the order of the checks.
FEATURES: list[tuple[dict[str, Any], str]] = [
    ({"instance_id": ""}, "Static membership is not yet supported."),
    ({"has_task_offsets": True}, "TaskOffsets are not supported yet."),
    ({"has_task_end_offsets": True}, "TaskEndOffsets are not supported yet."),
    ({"owned": replace(NOTHING, warmup=TASKS)}, "WarmupTasks are not supported yet."),
    ({"topology": WITH_REGEX}, "Regular expressions for source topics are not supported yet."),
]
IDS: list[tuple[dict[str, Any], str]] = [
    ({"member_id": ""}, "MemberId can't be empty."),
    ({"group_id": ""}, "GroupId can't be empty."),
    ({"rack_id": ""}, "RackId can't be empty."),
]
OF_JOINS: list[tuple[dict[str, Any], str]] = [
    (
        {"rebalance_timeout_ms": -1},
        "RebalanceTimeoutMs must be provided in first request.",
    ),
    ({"owned": replace(NOTHING, active=None)}, "ActiveTasks must be empty when (re-)joining."),
    ({"owned": replace(NOTHING, active=TASKS)}, "ActiveTasks must be empty when (re-)joining."),
    ({"owned": replace(NOTHING, standby=None)}, "StandbyTasks must be empty when (re-)joining."),
    ({"owned": replace(NOTHING, standby=TASKS)}, "StandbyTasks must be empty when (re-)joining."),
    ({"owned": replace(NOTHING, warmup=None)}, "WarmupTasks must be empty when (re-)joining."),
    ({"topology": None}, "Topology must be non-null when (re-)joining."),
]
ONE_KIND = OwnedTasks(active=[])
NO_CHANGES: Mapping[str, Any] = MappingProxyType({})


def refusal(member_id: str = "a", epoch: int = 0, **fields: Any) -> tuple[int, str | None] | None:
    """The error of a heartbeat, if it is invalid."""
    request = beating(member_id, epoch, **fields) if epoch else joining(member_id, **fields)
    try:
        check_heartbeat(request)
    except ApiError as error:
        return error.code, error.message
    return None


@pytest.mark.parametrize(("fields", "message"), FEATURES + IDS + OF_JOINS)
def test_a_join_is_invalid(fields: dict[str, Any], message: str) -> None:
    """One thing is wrong with it."""
    assert refusal(**fields) == (ErrorCode.INVALID_REQUEST, message)


@pytest.mark.parametrize("epoch", [3, -1, -2])
@pytest.mark.parametrize(("fields", "message"), FEATURES + IDS)
def test_what_every_heartbeat_must_not_contain(
    epoch: int, fields: dict[str, Any], message: str
) -> None:
    """In any epoch, also a member that leaves."""
    assert refusal(epoch=epoch, **fields) == (ErrorCode.INVALID_REQUEST, message)


def in_order(*parts: list[tuple[dict[str, Any], str]]) -> list[tuple[dict[str, Any], str]]:
    """Each check with everything wrong that is checked later, if it can be combined."""
    checks = [check for part in parts for check in part]
    return [
        (
            {name: value for fields, _ in checks[index:][::-1] for name, value in fields.items()},
            text,
        )
        for index, (_, text) in enumerate(checks)
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    in_order(
        FEATURES,
        IDS,
        [
            OF_JOINS[0],
            ({"owned": OwnedTasks()}, "ActiveTasks must be empty when (re-)joining."),
            OF_JOINS[-1],
        ],
    ),
)
def test_the_first_check_that_fails_counts(fields: dict[str, Any], message: str) -> None:
    """Features, ids, and what a join needs, each in its order."""
    assert refusal(**fields) == (ErrorCode.INVALID_REQUEST, message)


def test_active_tasks_are_checked_before_standby_and_these_before_warmup_tasks() -> None:
    """In a join."""
    assert refusal(owned=OwnedTasks()) == (
        ErrorCode.INVALID_REQUEST,
        "ActiveTasks must be empty when (re-)joining.",
    )
    assert refusal(owned=OwnedTasks(active=[])) == (
        ErrorCode.INVALID_REQUEST,
        "StandbyTasks must be empty when (re-)joining.",
    )


def test_the_number_of_partitions_of_a_changelog_is_not_fixed() -> None:
    """The coordinator determines it."""
    assert refusal(topology=WITH_FIXED_CHANGELOG) == (
        ErrorCode.STREAMS_INVALID_TOPOLOGY,
        "Changelog topic ch must have an undefined partition count, but it is set to 3.",
    )


@pytest.mark.parametrize(
    ("epoch", "message"),
    [
        (-2, "InstanceId can't be null."),
        (-3, "MemberEpoch is -3, but must be greater than or equal to -2."),
    ],
)
def test_epochs_that_are_never_accepted(epoch: int, message: str) -> None:
    """Their check precedes that of the tasks and of the topology."""
    error = (ErrorCode.INVALID_REQUEST, message)

    assert refusal(epoch=epoch, owned=ONE_KIND, topology=TOPOLOGY) == error


@pytest.mark.parametrize("epoch", [3, -1])
def test_a_member_reports_all_kinds_of_tasks_or_none(epoch: int) -> None:
    """Their check precedes that of the topology."""
    error = (
        ErrorCode.INVALID_REQUEST,
        "If one task-type is non-null, all must be non-null.",
    )

    for kinds in (ONE_KIND, OwnedTasks(standby=[], warmup=[])):
        assert refusal(epoch=epoch, owned=kinds, topology=TOPOLOGY) == error


@pytest.mark.parametrize("epoch", [3, -1])
def test_only_a_join_has_a_topology(epoch: int) -> None:
    """Also that of a member that leaves is refused."""
    assert refusal(epoch=epoch, topology=TOPOLOGY) == (
        ErrorCode.INVALID_REQUEST,
        "Topology can only be provided when (re-)joining.",
    )


@pytest.mark.parametrize(
    "fields",
    [
        NO_CHANGES,
        {"member_id": "m" * 1000},
        {"rebalance_timeout_ms": 0},
        {"rebalance_timeout_ms": -2},
        {"process_id": None},
        {"process_id": ""},
        {"rack_id": None},
        {"client_tags": [("", "")]},
        {"user_endpoint": Endpoint("", 0)},
        {"endpoint_information_epoch": -7},
    ],
)
def test_a_join_is_accepted(fields: dict[str, Any]) -> None:
    """These fields have no limits."""
    assert refusal(**fields) is None


@pytest.mark.parametrize(
    "fields", [NO_CHANGES, {"owned": NOTHING}, {"owned": owned({"0": [0]}, {"0": [1]})}]
)
@pytest.mark.parametrize("epoch", [3, -1])
def test_a_later_heartbeat_is_accepted(epoch: int, fields: dict[str, Any]) -> None:
    """With and without tasks."""
    assert refusal(epoch=epoch, **fields) is None
