"""Invalid group requests; the responses of Kafka 4.3.1 to them are in a text file.

They are sent in this order, to a broker with one topic ``t``: some succeed, so that later ones are
refused because of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from protocol.messages.sync_group import SyncGroupRequest

EXPECTED = Path(__file__).with_suffix(".txt")


class Case(NamedTuple):
    """A request, and what is invalid about it."""

    what: str
    body: Any
    version: int


def _join(
    group: str = "g",
    member: str = "",
    session_ms: int = 10_000,
    protocol_type: str = "consumer",
    protocols: tuple[str, ...] = ("range",),
) -> JoinGroupRequest:
    return JoinGroupRequest(
        group_id=group,
        session_timeout_ms=session_ms,
        rebalance_timeout_ms=10_000,
        member_id=member,
        protocol_type=protocol_type,
        protocols=[JoinGroupRequestProtocol(name=name, metadata=b"") for name in protocols],
    )


def _sync(group: str = "g", member: str = "m", **settings: Any) -> SyncGroupRequest:
    named = {"protocol_type": "consumer", "protocol_name": "range"} | settings
    return SyncGroupRequest(
        group_id=group, generation_id=1, member_id=member, assignments=[], **named
    )


def _heartbeat(group: str = "g", member: str = "m") -> HeartbeatRequest:
    return HeartbeatRequest(group_id=group, generation_id=1, member_id=member)


def _leave(group: str = "g", member: str = "m") -> LeaveGroupRequest:
    return LeaveGroupRequest(group_id=group, members=[MemberIdentity(member_id=member)])


def _commit(
    group: str = "g",
    generation: int = -1,
    member: str = "",
    topic: str = "t",
    partition: int = 0,
    metadata: str = "",
) -> OffsetCommitRequest:
    requested = OffsetCommitRequestPartition(
        partition_index=partition, committed_offset=1, committed_metadata=metadata
    )
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member,
        topics=[OffsetCommitRequestTopic(name=topic, partitions=[requested])],
    )


def _fetch(
    group: str = "g", member: str | None = None, epoch: int = -1, topic: str = "t"
) -> OffsetFetchRequest:
    requested = OffsetFetchRequestTopics(name=topic, partition_indexes=[0])
    return OffsetFetchRequest(
        groups=[
            OffsetFetchRequestGroup(
                group_id=group, member_id=member, member_epoch=epoch, topics=[requested]
            )
        ]
    )


def _forget(group: str = "g", topic: str = "t", partition: int = 0) -> OffsetDeleteRequest:
    requested = OffsetDeleteRequestPartition(partition_index=partition)
    topics = [OffsetDeleteRequestTopic(name=topic, partitions=[requested])]
    return OffsetDeleteRequest(group_id=group, topics=topics)


def _consume(group: str = "k", member: str = "m", epoch: int = 0, **settings: Any) -> Any:
    joining: dict[str, Any] = {}
    if epoch == 0:
        joining = {
            "rebalance_timeout_ms": 10_000,
            "subscribed_topic_names": ["t"],
            "topic_partitions": [],
        }
    return ConsumerGroupHeartbeatRequest(
        group_id=group, member_id=member, member_epoch=epoch, **(joining | settings)
    )


_SOME = [TopicPartitions(topic_id=UUID(int=1), partitions=[0])]

CASES = (
    Case("find: no such key type", FindCoordinatorRequest(key_type=9, coordinator_keys=["g"]), 4),
    Case("join: no group id", _join(""), 9),
    Case("join: session too short", _join(session_ms=1), 9),
    Case("join: session too long", _join(session_ms=2**31 - 1), 9),
    Case("join: no such group", _join(member="m"), 9),
    Case("join: no protocol type", _join(protocol_type=""), 9),
    Case("join: no protocols", _join(protocols=()), 9),
    Case("sync: no group id", _sync(""), 5),
    Case("sync: no such group", _sync(), 5),
    Case("sync: no protocol named", _sync(protocol_name=None), 5),
    Case("heartbeat: no group id", _heartbeat(""), 4),
    Case("heartbeat: no such group", _heartbeat("absent"), 4),
    Case("leave: no group id", _leave(""), 5),
    Case("leave: no such group", _leave("absent"), 5),
    Case("commit: no group id", _commit(""), 9),
    Case("commit: no such generation", _commit("absent", generation=1, member="m"), 8),
    Case("commit: no such group", _commit("absent", generation=1, member="m"), 9),
    Case("commit: no such topic", _commit(topic="u"), 9),
    Case("commit: no such partition", _commit(partition=9), 9),
    Case("commit: metadata too long", _commit(metadata="x" * 4097), 9),
    Case("commit: metadata just short enough", _commit(metadata="x" * 4096), 9),
    Case("fetch: no group id", _fetch(""), 9),
    Case("fetch: no such group", _fetch("absent"), 9),
    Case("fetch: no such topic", _fetch(topic="u"), 9),
    Case("delete offsets: no group id", _forget(""), 0),
    Case("delete offsets: no such group", _forget("absent"), 0),
    Case("delete offsets: no such topic", _forget(topic="u"), 0),
    Case("delete offsets: no such partition", _forget(partition=9), 0),
    Case("delete: no group id", DeleteGroupsRequest(groups_names=[""]), 2),
    Case("delete: no such group", DeleteGroupsRequest(groups_names=["absent"]), 2),
    Case("delete: the same twice", DeleteGroupsRequest(groups_names=["x", "x"]), 2),
    Case("describe: no group id", DescribeGroupsRequest(groups=[""]), 6),
    Case("describe: no such group, v5", DescribeGroupsRequest(groups=["absent"]), 5),
    Case("describe: no such group, v6", DescribeGroupsRequest(groups=["absent"]), 6),
    Case("consume: no group id", _consume(""), 1),
    Case("consume: no member id", _consume(member=""), 1),
    Case("consume: no such epoch", _consume(epoch=-3), 1),
    Case("consume: instance without a name", _consume(instance_id=""), 1),
    Case("consume: rack without a name", _consume(rack_id=""), 1),
    Case("consume: no rebalance timeout", _consume(rebalance_timeout_ms=-1), 1),
    Case("consume: no subscription", _consume(subscribed_topic_names=None), 1),
    Case("consume: nothing owned said", _consume(topic_partitions=None), 1),
    Case("consume: owns before it joins", _consume(topic_partitions=_SOME), 1),
    Case("consume: no such assignor", _consume(server_assignor="none"), 1),
    Case("consume: no such expression", _consume(subscribed_topic_regex="["), 1),
    Case("consume: no such group", _consume("absent", epoch=1), 1),
    Case("consume: leaves no such group", _consume("absent", epoch=-1), 1),
    Case("consume: static, without an instance", _consume(epoch=-2), 1),
    Case("consume: joins", _consume(instance_id="i"), 1),
    Case("consume: no such member", _consume(member="n", epoch=1), 1),
    Case("consume: epoch too large", _consume(epoch=99), 1),
    Case("consume: epoch too small", _consume(epoch=1), 1),
    Case("consume: instance in use", _consume(member="n", instance_id="i"), 1),
    Case("consume: no such instance", _consume(member="m", epoch=2, instance_id="j"), 1),
    Case("consume: not its instance", _consume(member="n", epoch=2, instance_id="i"), 1),
    Case("consume: owns what there is not", _consume(epoch=2, topic_partitions=_SOME), 1),
    Case("commit: member epoch too large", _commit("k", generation=99, member="m"), 9),
    Case("commit: no such consumer", _commit("k", generation=2, member="n"), 9),
    Case("commit: without a member, to a group in use", _commit("k"), 9),
    Case("fetch: member epoch too large", _fetch("k", "m", 99), 9),
    Case("fetch: no such consumer", _fetch("k", "n", 2), 9),
    Case("join: metadata that is none", _join("k"), 9),
    Case("sync: to a consumer group", _sync("k"), 5),
    Case("heartbeat: to a consumer group", _heartbeat("k"), 4),
    Case("leave: a consumer group", _leave("k", "n"), 5),
    Case("delete: in use", DeleteGroupsRequest(groups_names=["k"]), 2),
    Case("describe: a consumer group, v6", DescribeGroupsRequest(groups=["k"]), 6),
    Case("describe consumers: no id", ConsumerGroupDescribeRequest(group_ids=[""]), 1),
    Case("describe consumers: no such group", ConsumerGroupDescribeRequest(group_ids=["x"]), 1),
    Case("describe consumers: not its kind", ConsumerGroupDescribeRequest(group_ids=["g"]), 1),
    Case("consume: a group of offsets", _consume("g"), 1),
)


def line(case: Case, response: Any) -> str:
    """The request and every error of the response, with its message if there is one."""
    return f"{case.what}: {', '.join(_errors(response))}"


def _errors(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _errors(each)
    elif is_dataclass(value):
        if hasattr(value, "error_code"):
            message = getattr(value, "error_message", None)
            yield f"{value.error_code}" + (f" {message}" if message else "")
        for field in fields(value):
            yield from _errors(getattr(value, field.name))
