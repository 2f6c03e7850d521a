"""Requests that do not need a member: offsets, descriptions, deletions."""

from __future__ import annotations

import random
from typing import Any

from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.list_groups import ListGroupsRequest
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
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from protocol.schema import ZERO_UUID
from tests.broker.groups.model.actors import GROUPS, Actors
from tests.broker.groups.model.plan import INT32_MAX
from tests.broker.groups.model.world import TOPICS, ModelWorld

_INT64_MAX = 2**63 - 1


class Operators:
    """Sends requests of members, of simple consumers and of administrators."""

    def __init__(self, rng: random.Random, world: ModelWorld, actors: Actors) -> None:
        self._rng = rng
        self._world = world
        self._actors = actors

    def act(self) -> str:
        """Send a random request; returns a description."""
        make = self._rng.choice(
            (
                *(self._commit, self._commit, self._commit, self._fetch, self._delete_offsets),
                *(self._describe, self._describe_consumers, self._list, self._delete),
            )
        )
        request, version = make()
        sent = self._world.send(request, version, "operator")
        return (
            f"operator v{version} {request} -> {sent.responses[0] if sent.responses else 'parked'}"
        )

    def _commit(self) -> tuple[Any, int]:
        version = self._rng.choice((10, 9, 8, 5, 2))
        actor = self._rng.choice(self._actors.actors)
        is_member = self._rng.random() < 0.7
        partitions = [
            OffsetCommitRequestPartition(
                partition_index=self._rng.choice((0, 0, 1, -1, INT32_MAX)),
                committed_offset=self._rng.choice((self._rng.randrange(1000), -1, _INT64_MAX)),
                committed_leader_epoch=self._rng.choice((-1, 3)) if version >= 6 else -1,
                committed_metadata=self._rng.choice(("", None, "note")),
            )
        ]
        retentions = (-1, -1, 1, 0, -2, _INT64_MAX, -_INT64_MAX - 1)
        request = OffsetCommitRequest(
            group_id=actor.group,
            generation_id_or_member_epoch=actor.generation if is_member else -1,
            member_id=actor.member_id if is_member else "",
            group_instance_id=actor.instance if is_member and version >= 7 else None,
            retention_time_ms=self._rng.choice(retentions) if version <= 4 else -1,
            topics=[
                OffsetCommitRequestTopic(
                    name=name if version < 10 else "",
                    topic_id=self._topic_id(name) if version >= 10 else ZERO_UUID,
                    partitions=partitions,
                )
                for name in self._topics()
            ],
        )
        return request, version

    def _fetch(self) -> tuple[Any, int]:
        version = self._rng.choice((10, 9, 8, 7, 2, 1))
        actor = self._rng.choice(self._actors.actors)
        if version < 8:
            topics = [
                OffsetFetchRequestTopic(name=each, partition_indexes=[0, 1]) for each in TOPICS
            ]
            everything = version >= 2 and self._rng.random() < 0.5
            stable = version >= 7 and self._rng.random() < 0.5
            return (
                OffsetFetchRequest(
                    group_id=self._group(),
                    topics=None if everything else topics,
                    require_stable=stable,
                ),
                version,
            )
        named = [
            OffsetFetchRequestTopics(
                name=each if version < 10 else "",
                topic_id=self._topic_id(each) if version >= 10 else ZERO_UUID,
                partition_indexes=[0, 1],
            )
            for each in TOPICS
        ]
        group = OffsetFetchRequestGroup(
            group_id=self._group(), topics=self._rng.choice((None, named))
        )
        if version >= 9 and self._rng.random() < 0.5:
            group.member_id, group.member_epoch = actor.member_id, actor.generation
        return OffsetFetchRequest(groups=[group], require_stable=self._rng.random() < 0.5), version

    def _delete_offsets(self) -> tuple[Any, int]:
        partitions = [OffsetDeleteRequestPartition(partition_index=0)]
        topics = [
            OffsetDeleteRequestTopic(name=each, partitions=partitions) for each in self._topics()
        ]
        return OffsetDeleteRequest(group_id=self._group(), topics=topics), 0

    def _describe(self) -> tuple[Any, int]:
        version = self._rng.choice((6, 5, 4, 0))
        return DescribeGroupsRequest(groups=[*GROUPS, "absent"]), version

    def _describe_consumers(self) -> tuple[Any, int]:
        return ConsumerGroupDescribeRequest(group_ids=[*GROUPS, "absent"]), self._rng.choice((0, 1))

    def _list(self) -> tuple[Any, int]:
        version = self._rng.choice((5, 4, 0))
        states = self._rng.choice(([], ["Stable", "empty"])) if version >= 4 else []
        return ListGroupsRequest(states_filter=states), version

    def _delete(self) -> tuple[Any, int]:
        return DeleteGroupsRequest(groups_names=[self._group(), self._group()]), 2

    def _group(self) -> str:
        return self._rng.choice(("g", "g", "h", "", "absent"))

    def _topics(self) -> list[str]:
        return [each for each in (*TOPICS, "absent") if self._rng.random() < 0.4]

    def _topic_id(self, name: str) -> Any:
        topic = self._world.node.image.topic(name)
        return ZERO_UUID if topic is None else topic.topic_id
