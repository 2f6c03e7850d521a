"""StreamsGroupHeartbeat: responses, refusals of the handler, and created internal topics."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from broker.api.handlers.groups.streams_group_heartbeat import streams_group_heartbeat
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.security.resource import Operation
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.streams_group_heartbeat import (
    Endpoint,
    KeyValue,
    StreamsGroupHeartbeatResponse,
    Subtopology,
    TaskIds,
    TaskOffset,
    TopicInfo,
)
from tests.broker.api.authorization.fake_authorizer import (
    FakeAuthorizer,
    install,
    on_group,
    on_topic,
)
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices
from tests.broker.api.handlers.groups.streams_members import beat, join, reading, sent, topology
from tests.client import running_node
from tests.held_offload import HeldOffload

INVALID, BAD_TOPOLOGY = ErrorCode.INVALID_REQUEST, ErrorCode.STREAMS_INVALID_TOPOLOGY
READ, DESCRIBE = Operation.READ, Operation.DESCRIBE
TASKS = [TaskIds(subtopology_id="0", partitions=[0, 1])]
EMPTY_ID = "MemberId can't be empty."


def error(response: Any) -> tuple[int, str | None]:
    """The code and the message of a response, which has nothing else."""
    code, message = response.error_code, response.error_message
    assert response == StreamsGroupHeartbeatResponse(error_code=code, error_message=message)
    assert response.status == []
    return code, message


# ------------------------------------------------------------------------------------ responses


def test_the_first_member_gets_all_tasks() -> None:
    """The response has its epoch, the heartbeat interval and its tasks."""
    response = sent(GroupServices(), join())

    assert response == StreamsGroupHeartbeatResponse(
        member_id="m",
        member_epoch=2,
        heartbeat_interval_ms=5000,
        status=[],
        active_tasks=TASKS,
        standby_tasks=[],
        warmup_tasks=[],
    )


def test_a_heartbeat_without_changes_has_no_tasks() -> None:
    """The lists are null, and there is no status."""
    node = GroupServices()
    sent(node, join())

    assert sent(node, beat(2)) == StreamsGroupHeartbeatResponse(
        member_id="m", member_epoch=2, heartbeat_interval_ms=5000, status=[]
    )


def test_a_member_leaves() -> None:
    """The response has its epoch, -1, and nothing else."""
    node = GroupServices()
    sent(node, join())

    assert sent(node, beat(-1)) == StreamsGroupHeartbeatResponse(
        member_id="m", member_epoch=-1, status=[]
    )


def test_the_fields_of_a_member_are_stored() -> None:
    """Its client id and host are those of the connection."""
    node = GroupServices()
    fields: dict[str, Any] = {
        "rack_id": "r",
        "process_id": "p",
        "user_endpoint": Endpoint(host="h", port=9),
        "client_tags": [KeyValue(key="b", value="2"), KeyValue(key="a", value="1")],
        "topology": topology(reading("t"), epoch=7),
    }
    sent(node, join(**fields))

    member = node.groups.streams.group("g").members["m"]
    assert (member.client_id, member.client_host) == ("client", "/127.0.0.1")
    assert (member.rack_id, member.process_id, member.user_endpoint) == ("r", "p", ("h", 9))
    assert (member.client_tags, member.topology_epoch) == ({"a": "1", "b": "2"}, 7)
    assert member.rebalance_timeout_ms == 60_000


def test_the_endpoints_of_all_members() -> None:
    """With the partitions of their active tasks."""
    node = GroupServices()
    sent(node, join(user_endpoint=Endpoint(host="h", port=9)))

    response = sent(node, beat(2, endpoint_information_epoch=-1))

    (endpoint,) = response.partitions_by_user_endpoint
    assert (endpoint.user_endpoint.host, endpoint.user_endpoint.port) == ("h", 9)
    (partitions,) = endpoint.active_partitions
    assert (partitions.topic, partitions.partitions) == ("t", [0, 1])
    assert endpoint.standby_partitions == []


def test_subtopologies_have_the_order_of_a_hash_map() -> None:
    """That of their ids, also after a restart."""
    names = ["10", "0", "a", "9"]
    many = topology(*(Subtopology(subtopology_id=each, source_topics=["t"]) for each in names))
    node = GroupServices()
    responses = [sent(node, join(topology=many))]
    node.world.restart()
    node.groups = node.world.coordinator
    responses.append(sent(node, join(topology=many)))

    for response in responses:
        assert [each.subtopology_id for each in response.active_tasks] == ["0", "a", "9", "10"]


def test_a_response_waits_for_its_records() -> None:
    """And for those of earlier requests."""
    node = GroupServices()
    node.world.slow_down()
    request = GroupRequest(node, join(), 0)

    response = finish(streams_group_heartbeat(request.request))
    assert request.responses == []
    assert not isinstance(response, StreamsGroupHeartbeatResponse)
    node.world.replicate()
    node.world.end_request()

    assert [each.member_epoch for each in request.responses] == [2]


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (join(instance_id=""), INVALID, "Static membership is not yet supported."),
        (join(task_offsets=[]), INVALID, "TaskOffsets are not supported yet."),
        (join(task_end_offsets=[]), INVALID, "TaskEndOffsets are not supported yet."),
        (
            join(task_offsets=[TaskOffset(subtopology_id="0", partition=0, offset=1)]),
            INVALID,
            "TaskOffsets are not supported yet.",
        ),
        (join(warmup_tasks=TASKS), INVALID, "WarmupTasks are not supported yet."),
        (join(active_tasks=TASKS), INVALID, "ActiveTasks must be empty when (re-)joining."),
        (join(standby_tasks=None), INVALID, "StandbyTasks must be empty when (re-)joining."),
        (join(topology=None), INVALID, "Topology must be non-null when (re-)joining."),
        (beat(-2), INVALID, "InstanceId can't be null."),
        (beat(2), ErrorCode.GROUP_ID_NOT_FOUND, "Streams group g not found."),
        (
            join(topology=topology(Subtopology(subtopology_id="0", source_topic_regex=["t.*"]))),
            INVALID,
            "Regular expressions for source topics are not supported yet.",
        ),
    ],
)
def test_a_refused_heartbeat(body: Any, code: ErrorCode, message: str) -> None:
    """The error has a message."""
    assert error(sent(GroupServices(), body)) == (code, message)


FORBIDDEN = Subtopology(
    subtopology_id="0",
    source_topics=["__consumer_offsets", "__cluster_metadata", "t"],
    repartition_sink_topics=["__share_group_state", "__consumer_offsets"],
    repartition_source_topics=[TopicInfo(name="__transaction_state")],
    state_changelog_topics=[TopicInfo(name="__share_group_state")],
)
MISNAMED = Subtopology(
    subtopology_id="0",
    source_topics=["a b"],
    repartition_sink_topics=["*"],
    repartition_source_topics=[TopicInfo(name="a b")],
    state_changelog_topics=[TopicInfo(name="c d")],
)


@pytest.mark.parametrize("epoch", [0, 5])
@pytest.mark.parametrize(
    ("subtopologies", "message"),
    [
        (
            [MISNAMED, FORBIDDEN],
            (
                "Use of Kafka internal topics __consumer_offsets,__share_group_state,"
                "__transaction_state in a Kafka Streams topology is prohibited."
            ),
        ),
        ([MISNAMED], "Topic names a b,*,c d are not valid topic names."),
        ([reading("")], "Topic names  are not valid topic names."),
    ],
)
def test_topics_that_a_topology_must_not_name(
    epoch: int, subtopologies: list[Subtopology], message: str
) -> None:
    """They are checked before the fields of the request; the first list is that of the sources."""
    body = join(member_id="", member_epoch=epoch, topology=topology(*subtopologies))

    assert error(sent(GroupServices(), body)) == (BAD_TOPOLOGY, message)


@pytest.mark.anyio
@pytest.mark.parametrize("setting", ["classic,consumer", "classic", "share"])
async def test_a_disabled_protocol(tmp_path: Path, setting: str) -> None:
    """The error has no message, and precedes all other checks."""
    async with running_node(tmp_path, group_coordinator_rebalance_protocols=setting) as node:
        install(node.node, FakeAuthorizer())
        response = await node.client().send(join(instance_id=""))

    assert error(response) == (ErrorCode.UNSUPPORTED_VERSION, None)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("allowed", "body", "expected"),
    [
        ([], join(topology=topology(FORBIDDEN)), (30, None)),
        (on_group(READ, "h"), join(), (30, None)),
        (on_group(DESCRIBE, "g"), join(), (30, None)),
        (on_group(READ, "g"), join(member_id=""), (29, None)),
        (
            on_group(READ, "g"),
            join(topology=topology(reading("t", "a b"))),
            (130, "Topic names a b are not valid topic names."),
        ),
        (
            [*on_group(READ, "g"), *on_topic(DESCRIBE, "t")],
            join(topology=topology(reading("t", logs=("nowhere",)))),
            (29, None),
        ),
        (
            [*on_group(READ, "g"), *on_topic(DESCRIBE, "t")],
            join(
                topology=topology(
                    reading("t", repartition_source_topics=[TopicInfo(name="nowhere")])
                )
            ),
            (29, None),
        ),
        (
            [*on_group(READ, "g"), *on_topic(DESCRIBE, "t")],
            join(topology=topology(reading("t", repartition_sink_topics=["nowhere"]))),
            (29, None),
        ),
        ([*on_group(READ, "g"), *on_topic(DESCRIBE, "t")], join(member_id=""), (42, EMPTY_ID)),
        (on_group(READ, "g"), beat(2), (69, "Streams group g not found.")),
    ],
)
async def test_what_a_member_must_be_authorized_for(
    tmp_path: Path, allowed: Any, body: Any, expected: tuple[int, str | None]
) -> None:
    """To read the group; then names are checked; to describe each topic; then fields."""
    async with running_node(tmp_path) as node:
        ensure_internal_topic(node.controller, offsets_topic(node.node.config))
        node.controller.create_topic("t", partitions=2)
        install(node.node, FakeAuthorizer(*allowed))

        assert error(await node.client().send(body)) == expected


# ---------------------------------------------------------------------------------- large groups


def sent_in_a_thread(node: GroupServices, body: Any) -> Any:
    """The response to a heartbeat that a worker thread computes."""
    slices: Any = streams_group_heartbeat(GroupRequest(node, body, 0).request)
    assert isinstance(slices, Generator)
    offload: Any = node.offload
    while not offload.jobs:
        next(slices)
    offload.finish_next()
    return finish(slices)


def test_heartbeats_of_a_large_group_are_computed_in_a_thread() -> None:
    """Also the one that creates it; a member leaves without a thread."""
    node = GroupServices(offload=HeldOffload())
    node.world.put_topic("big", 1000)

    joined = sent_in_a_thread(node, join(topology=topology(reading("big"))))
    stays = sent_in_a_thread(node, beat(2))
    leaves = sent(node, beat(-1))

    assert [each.member_epoch for each in (joined, stays, leaves)] == [2, 2, -1]
