"""StreamsGroupDescribe, and what other requests say about streams groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.api.authorization.authorized_operations import NOT_REQUESTED
from broker.api.handlers.groups.streams_group_describe import streams_group_describe
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.groups.streams.requests import StreamsGroupHeartbeat
from broker.security.resource import Operation
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.streams_group_describe import DescribedGroup, StreamsGroupDescribeRequest
from protocol.messages.streams_group_heartbeat import Endpoint, KeyValue, Subtopology, TopicInfo
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.broker.api.authorization.fake_authorizer import (
    FakeAuthorizer,
    install,
    on_group,
    on_topic,
)
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.api.handlers.groups.streams_members import beat, join, reading, sent, topology
from tests.broker.groups.script import ScriptPlayer
from tests.client import running_node

DESCRIBE = Operation.DESCRIBE
HIDDEN = "The described group uses topics that the client is not authorized to describe."
FULL = topology(
    Subtopology(
        subtopology_id="1",
        source_topics=["u", "t"],
        repartition_sink_topics=["x", "r"],
        repartition_source_topics=[TopicInfo(name="s", partitions=3), TopicInfo(name="r")],
        state_changelog_topics=[
            TopicInfo(name="d"),
            TopicInfo(
                name="c",
                replication_factor=1,
                topic_configs=[KeyValue(key="k", value="v")],
            ),
        ],
    ),
    Subtopology(subtopology_id="0", source_topics=["t"], repartition_sink_topics=["s"]),
    epoch=4,
)


@pytest.fixture
def node() -> GroupServices:
    """A node with the topics t and u, which have two partitions and one."""
    return GroupServices()


def describe(node: GroupServices, *group_ids: str, **fields: Any) -> Any:
    """The description of these groups."""
    body = StreamsGroupDescribeRequest(group_ids=list(group_ids), **fields)
    return call(streams_group_describe, GroupRequest(node, body, 0)).groups


def described(node: GroupServices) -> Any:
    """The description of g."""
    (group,) = describe(node, "g")
    return group


def tasks(assignment: Any) -> list[list[tuple[str, list[int]]]]:
    """The active, standby and warm-up tasks."""
    return [
        [(each.subtopology_id, each.partitions) for each in kind]
        for kind in (assignment.active_tasks, assignment.standby_tasks, assignment.warmup_tasks)
    ]


def internal(topics: Any) -> list[tuple[str, int, int, list[tuple[str, str]]]]:
    """Internal topics with their partitions, replication factors and configurations."""
    return [
        (
            each.name,
            each.partitions,
            each.replication_factor,
            [(config.key, config.value) for config in each.topic_configs],
        )
        for each in topics
    ]


# ------------------------------------------------------------------------------------ the members


def test_a_group_with_its_member(node: GroupServices) -> None:
    """All fields of the member."""
    sent(
        node,
        join(
            rack_id="r",
            user_endpoint=Endpoint(host="h", port=9),
            client_tags=[KeyValue(key="a", value="1")],
        ),
    )
    group = described(node)
    (member,) = group.members

    assert (group.error_code, group.group_id, group.group_state) == (0, "g", "Stable")
    assert (group.group_epoch, group.assignment_epoch) == (2, 2)
    assert group.authorized_operations == NOT_REQUESTED
    assert (member.member_id, member.member_epoch, member.instance_id) == ("m", 2, None)
    assert (member.rack_id, member.client_id, member.client_host) == ("r", "client", "/127.0.0.1")
    assert (member.topology_epoch, member.process_id) == (0, "process of m")
    assert (member.user_endpoint.host, member.user_endpoint.port) == ("h", 9)
    assert [(each.key, each.value) for each in member.client_tags] == [("a", "1")]
    assert (member.task_offsets, member.task_end_offsets, member.is_classic) == ([], [], False)
    assert tasks(member.assignment) == [[("0", [0, 1])], [], []]
    assert tasks(member.target_assignment) == [[("0", [0, 1])], [], []]


def test_the_tasks_and_the_target_of_members_in_a_rebalance(node: GroupServices) -> None:
    """A task that a member revokes is not assigned any more."""
    node.groups.consumers.configs.replace("g", {"streams.assignment.interval.ms": "0"})
    sent(node, join())
    sent(node, join("n"))
    members = {each.member_id: each for each in described(node).members}
    assert tasks(members["m"].assignment) == [[("0", [0, 1])], [], []]
    assert tasks(members["n"].assignment) == [[], [], []]

    sent(node, beat(2))

    members = {each.member_id: each for each in described(node).members}
    (kept,) = tasks(members["m"].target_assignment)[0]
    assert tasks(members["m"].assignment)[0] == [kept]
    assert len(tasks(members["n"].target_assignment)[0]) == 1
    assert members["n"].user_endpoint is None


def test_tasks_are_sorted(node: GroupServices) -> None:
    """By the ids of their subtopologies."""
    names = ["10", "a", "9"]
    many = topology(*(Subtopology(subtopology_id=each, source_topics=["t"]) for each in names))
    sent(node, join(topology=many))

    (member,) = described(node).members

    expected = [("10", [0, 1]), ("9", [0, 1]), ("a", [0, 1])]
    assert tasks(member.assignment)[0] == expected
    assert tasks(member.target_assignment)[0] == expected


# ------------------------------------------------------------------------------------- the states


def test_a_group_that_is_not_ready(node: GroupServices) -> None:
    """Its topology is as the member sent it."""
    sent(node, join(topology=topology(reading("nowhere"))))

    group = described(node)
    assert (group.group_state, group.topology.subtopologies[0].source_topics) == (
        "NotReady",
        ["nowhere"],
    )
    assert tasks(group.members[0].target_assignment) == [[], [], []]


def test_a_group_whose_assignment_is_delayed(node: GroupServices) -> None:
    """The member has no target."""
    node.groups.consumers.configs.replace("g", {"streams.initial.rebalance.delay.ms": "3000"})
    sent(node, join())

    group = described(node)
    assert (group.group_state, group.group_epoch, group.assignment_epoch) == ("Assigning", 2, 1)
    assert tasks(group.members[0].target_assignment) == [[], [], []]


def test_a_group_in_a_rebalance(node: GroupServices) -> None:
    """A member waits for tasks."""
    node.groups.consumers.configs.replace("g", {"streams.assignment.interval.ms": "0"})
    sent(node, join())
    sent(node, join("n"))

    assert described(node).group_state == "Reconciling"


def test_an_empty_group_has_its_topology(node: GroupServices) -> None:
    """Until it is deleted."""
    sent(node, join())
    sent(node, beat(-1))

    group = described(node)
    assert (group.group_state, group.members) == ("Empty", [])
    assert group.topology.subtopologies[0].source_topics == ["t"]


# ----------------------------------------------------------------------------------- the topology


def create_internal_topics(node: GroupServices) -> None:
    """Create those of the topology, with the right partitions."""
    for name, count in (("s", 3), ("r", 3), ("c", 3), ("d", 3)):
        node.world.put_topic(name, count)


@pytest.mark.parametrize("is_configured", [False, True])
def test_the_topology(node: GroupServices, is_configured: bool) -> None:
    """Sorted; with the determined numbers of partitions after the second heartbeat."""
    create_internal_topics(node)
    response = sent(node, join(topology=FULL))
    assert response.status == []
    if is_configured:
        sent(node, beat(2))

    found = described(node).topology

    zero, one = found.subtopologies
    assert (found.epoch, zero.subtopology_id, one.subtopology_id) == (4, "0", "1")
    assert (one.source_topics, one.repartition_sink_topics) == (["t", "u"], ["r", "x"])
    computed = 3 if is_configured else 0
    assert internal(one.repartition_source_topics) == [("r", computed, 0, []), ("s", 3, 0, [])]
    assert internal(one.state_changelog_topics) == [
        ("c", computed, 1, [("k", "v")]),
        ("d", computed, 0, []),
    ]


def test_a_topology_whose_topics_are_wrong_is_as_it_was_sent(node: GroupServices) -> None:
    """The determined numbers of partitions are not those of the topics."""
    node.world.put_topic("c", 5)
    sent(node, join(topology=topology(reading("t", logs=("c",)))))
    sent(node, beat(2))
    assert node.groups.streams.group("g").configured is not None

    (found,) = described(node).topology.subtopologies

    assert internal(found.state_changelog_topics) == [("c", 0, 0, [])]


def test_a_topology_whose_internal_topics_are_missing_is_as_it_was_sent(
    node: GroupServices,
) -> None:
    """Although the numbers of partitions are determined."""
    node.world.put_topic("c", 2)
    sent(node, join(topology=topology(reading("t", logs=("c",)))))
    node.world.drop_topic("c")
    heartbeat = StreamsGroupHeartbeat(group_id="g", member_id="m", member_epoch=2)
    assert node.groups.streams.heartbeat(heartbeat).missing_topics

    (found,) = described(node).topology.subtopologies

    assert internal(found.state_changelog_topics) == [("c", 0, 0, [])]


# -------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("group_id", "code", "message"),
    [
        ("", 24, None),
        ("nope", 69, "Group nope not found."),
        ("g", 69, "Group g is not a streams group."),
    ],
)
def test_each_group_has_its_own_error(
    node: GroupServices, group_id: str, code: int, message: str | None
) -> None:
    """The other fields are empty."""
    ScriptPlayer(node.world).play(["enter a"])

    (group,) = describe(node, group_id, include_authorized_operations=True)

    assert group == DescribedGroup(
        group_id=group_id, error_code=code, error_message=message, members=[]
    )
    assert (group.topology, group.authorized_operations) == (None, NOT_REQUESTED)


def test_a_group_that_is_listed_twice(node: GroupServices) -> None:
    """It is described twice."""
    sent(node, join())

    assert [each.error_code for each in describe(node, "g", "g")] == [0, 0]


def test_a_group_of_another_node(node: GroupServices) -> None:
    """The client must find its coordinator."""
    ScriptPlayer(node.world).play(["unload"])

    assert described(node).error_code == 16


def test_authorized_operations_are_returned_on_request(node: GroupServices) -> None:
    """All of a group, without an authorizer."""
    sent(node, join())

    (group,) = describe(node, "g", include_authorized_operations=True)

    assert group.authorized_operations == 3400


TOPICS = ("t", "u", "r", "x", "s", "c", "d")


@pytest.mark.anyio
@pytest.mark.parametrize("hidden", [None, *TOPICS])
async def test_a_group_with_a_topic_that_the_client_may_not_describe(
    tmp_path: Path, hidden: str | None
) -> None:
    """A source, a sink, a repartition source or a changelog, whether it exists or not."""
    async with running_node(tmp_path) as running:
        ensure_internal_topic(running.controller, offsets_topic(running.node.config))
        client = running.client()
        response = await client.send(join(topology=FULL))
        assert response.error_code == 0
        visible = [each for each in TOPICS if each != hidden]
        allowed = [*on_group(DESCRIBE, "g"), *on_topic(DESCRIBE, *visible)]
        install(running.node, FakeAuthorizer(*allowed))

        (group,) = (await client.send(StreamsGroupDescribeRequest(group_ids=["g"]))).groups

    if hidden is None:
        assert (group.error_code, len(group.members)) == (0, 1)
    else:
        assert group == DescribedGroup(
            group_id="g", error_code=29, error_message=HIDDEN, members=[]
        )


@pytest.mark.anyio
async def test_groups_that_the_client_may_not_describe_come_first(tmp_path: Path) -> None:
    """Without a message; then those without an id; the others keep their order."""
    async with running_node(tmp_path) as running:
        ensure_internal_topic(running.controller, offsets_topic(running.node.config))
        install(running.node, FakeAuthorizer(*on_group(DESCRIBE, "a", "b", "")))
        body = StreamsGroupDescribeRequest(group_ids=["a", "x", "", "y"])

        groups = (await running.client().send(body)).groups

    assert [(each.group_id, each.error_code) for each in groups] == [
        ("x", 30),
        ("y", 30),
        ("", 24),
        ("a", 69),
    ]
    assert groups[0].error_message is None


# --------------------------------------------------------------------------- a disabled protocol


@pytest.mark.anyio
async def test_a_disabled_protocol(tmp_path: Path) -> None:
    """Each group has the error, without a message."""
    async with running_node(
        tmp_path, group_coordinator_rebalance_protocols="classic,consumer"
    ) as running:
        body = StreamsGroupDescribeRequest(group_ids=["g", ""])
        groups = (await running.client().send(body)).groups

    assert groups == [
        DescribedGroup(group_id=each, error_code=35, members=[]) for each in ("g", "")
    ]


@pytest.mark.anyio
async def test_the_feature_is_disabled_while_there_are_groups(tmp_path: Path) -> None:
    """They are still listed, and can be deleted."""
    async with running_node(tmp_path) as running:
        ensure_internal_topic(running.controller, offsets_topic(running.node.config))
        running.controller.create_topic("t", partitions=1)
        client = running.client()
        await client.send(join())
        update = FeatureUpdateKey(feature="streams.version", max_version_level=0, upgrade_type=2)
        disabled = await client.send(UpdateFeaturesRequest(feature_updates=[update]))
        refused = await client.send(beat(2))
        (group,) = (await client.send(StreamsGroupDescribeRequest(group_ids=["g"]))).groups
        listed = await client.send(ListGroupsRequest(types_filter=["streams"]))
        deleted = await client.send(DeleteGroupsRequest(groups_names=["g"]))

    assert disabled.error_code == 0
    assert (refused.error_code, refused.error_message, group.error_code) == (35, None, 35)
    assert [each.group_id for each in listed.groups] == ["g"]
    assert [each.error_code for each in deleted.results] == [68]
