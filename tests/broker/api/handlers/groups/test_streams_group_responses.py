"""Responses of streams groups that depend on details of Kafka's coordinator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from broker.api.handlers.groups.streams_group_describe import streams_group_describe
from broker.api.handlers.groups.streams_group_heartbeat import streams_group_heartbeat
from broker.security.resource import Operation
from protocol.errors import ErrorCode
from protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from protocol.messages.streams_group_heartbeat import (
    Endpoint,
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TaskIds,
    Topology,
)
from tests.broker.api.authorization.fake_authorizer import FakeAuthorizer, on_group
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call

_SOURCE = (Subtopology(subtopology_id="0", source_topics=["t"]),)


def join(
    services: GroupServices,
    member_id: str,
    subtopologies: Sequence[Subtopology] = _SOURCE,
    **fields: Any,
) -> Any:
    """The response to a join of g, whose topology reads t."""
    return beat(
        services,
        member_id,
        0,
        rebalance_timeout_ms=1000,
        topology=Topology(epoch=0, subtopologies=list(subtopologies)),
        active_tasks=[],
        standby_tasks=[],
        warmup_tasks=[],
        **fields,
    )


def beat(services: GroupServices, member_id: str, epoch: int, **fields: Any) -> Any:
    """The response to a heartbeat."""
    body = StreamsGroupHeartbeatRequest(
        group_id="g", member_id=member_id, member_epoch=epoch, **fields
    )
    return call(streams_group_heartbeat, GroupRequest(services, body, 0))


def test_an_unknown_subtopology_without_tasks_is_refused() -> None:
    """Its id is checked before its partitions."""
    services = GroupServices()
    join(services, "a")

    unknown = [TaskIds(subtopology_id="9", partitions=[])]
    response = beat(services, "a", 2, active_tasks=unknown, standby_tasks=[], warmup_tasks=[])

    assert response.error_code == ErrorCode.INVALID_REQUEST
    assert response.error_message == "Subtopology 9 does not exist in the topology."


def test_a_heartbeat_that_fails_changes_the_endpoint_epoch() -> None:
    """The topic of an endpoint is missing; the next heartbeat tells the endpoints again."""
    services = GroupServices()
    join(services, "a", user_endpoint=Endpoint(host="h", port=1))
    services.world.wait(1000)  # the assignment interval
    services.world.drop_topic("t")

    failed = beat(services, "a", 2)
    assert failed.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    services.world.put_topic("t", 2)
    response = beat(services, "a", 2)

    assert response.endpoint_information_epoch == 1
    assert response.partitions_by_user_endpoint is not None


def test_members_are_described_in_the_order_of_kafkas_table() -> None:
    """Not in the order in which they joined."""
    services = GroupServices()
    for member_id in "abc":
        join(services, member_id)

    request = GroupRequest(services, StreamsGroupDescribeRequest(group_ids=["g"]), 0)
    (group,) = call(streams_group_describe, request).groups

    assert [each.member_id for each in group.members] == ["c", "b", "a"]


def test_tasks_are_in_the_order_of_kafkas_table() -> None:
    """Subtopologies are neither sorted nor in the order of the topology."""
    names = ("10", "3", "b", "a")
    response = join(
        GroupServices(),
        "a",
        [Subtopology(subtopology_id=each, source_topics=["t"]) for each in names],
    )

    assert [each.subtopology_id for each in response.active_tasks] == ["a", "b", "3", "10"]


def test_a_hidden_topic_has_no_message() -> None:
    """Unlike in other APIs."""
    services: Any = GroupServices()
    services.authorizer = FakeAuthorizer(*on_group(Operation.READ, "g"))

    response = join(services, "a")

    assert response.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert response.error_message is None
