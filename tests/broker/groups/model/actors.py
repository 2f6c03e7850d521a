"""Clients that mostly send valid requests, and sometimes invalid ones.

A request is drawn with the client's own ids, generation and instance id. Each of them may be
replaced by that of another client, an old or an invalid one. Clients keep the fields of responses,
so that runs get deep into the protocols.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

from protocol.consumer_protocol import (
    ConsumerProtocolSubscription,
    TopicPartition,
    write_assignment,
    write_subscription,
)
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.broker.api.handlers.groups.group_request import GroupRequest
from tests.broker.groups.model.plan import INT32_MAX
from tests.broker.groups.model.world import TOPICS, ModelWorld

GROUPS = ("g", "h", "")
INSTANCES = ("i1", "i2", "i3")
REGEXES = ("t", "u|v", ".*", "[tu]", "w+", "(", "x{1001}", "")
_INT32_MIN = -(2**31)

# The errors after which a client has to join again.
_IS_OUT = (
    *(ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.ILLEGAL_GENERATION),
    *(ErrorCode.FENCED_INSTANCE_ID, ErrorCode.REBALANCE_IN_PROGRESS),
)

T = TypeVar("T")


@dataclass
class Actor:
    """A client; ``generation`` is the member epoch in the consumer protocol."""

    name: str
    group: str
    instance: str | None
    member_id: str = ""
    generation: int = -1
    is_leader: bool = False
    others: list[str] = field(default_factory=list)
    owned: dict[UUID, list[int]] = field(default_factory=dict)
    protocol: tuple[str | None, str | None] = (None, None)
    pending: list[tuple[str, GroupRequest]] = field(default_factory=list)


class Actors:
    """The clients of a run."""

    def __init__(self, rng: random.Random, world: ModelWorld) -> None:
        self._rng = rng
        self._world = world
        self.actors = [
            Actor(
                f"c{number}",
                rng.choice(("g", "g", "h")),
                rng.choice((None, None, *INSTANCES)),
            )
            for number in range(7)
        ]

    def act(self) -> str:
        """Let a client send a request of one of the protocols; returns a description."""
        actor = self._rng.choice(self.actors)
        self._update(actor)
        entering = (self._join, self._enter)
        acts = (
            *(*entering, self._sync, self._sync, self._sync, self._heartbeat, self._leave),
            *(self._beat, self._beat, self._beat, self._beat, self._quit),
        )
        is_out = actor.generation < 0 and self._rng.random() < 0.9
        act = self._rng.choice(entering if is_out else acts)
        request, version, client_id = act(actor)
        sent = self._world.send(request, version, client_id)
        actor.pending.append((act.__name__, sent))
        self._update(actor)
        response = sent.responses[0] if sent.responses else "parked"
        return f"{actor.name} v{version} {request} -> {response}"

    def member_ids(self) -> list[str]:
        """The member ids of all clients."""
        return [each.member_id for each in self.actors]

    # ---------------------------------------------------------------------- the classic protocol

    def _join(self, actor: Actor) -> tuple[Any, int, str | None]:
        version = self._rng.choice((9, 9, 9, 5, 4, 3, 0))
        return (
            JoinGroupRequest(
                group_id=self._group(actor),
                session_timeout_ms=self._mostly(10_000, (6000, 30_000, 0, -1, INT32_MAX)),
                rebalance_timeout_ms=self._mostly(20_000, (0, 1, 5000, -1, INT32_MAX, _INT32_MIN)),
                member_id=self._member(actor, ""),
                group_instance_id=self._instance(actor) if version >= 5 else None,
                protocol_type=self._mostly("consumer", ("connect", "", "x")),
                protocols=self._protocols(actor),
                reason="why not" if version >= 8 else None,
            ),
            version,
            self._mostly(actor.name, (None, "")),
        )

    def _protocols(self, actor: Actor) -> list[JoinGroupRequestProtocol]:
        names = self._mostly(("range",), (("range", "rr"), ("rr", "range"), ("rr",), (), ("",)))
        return [
            JoinGroupRequestProtocol(name=each, metadata=self._metadata(actor)) for each in names
        ]

    def _metadata(self, actor: Actor) -> bytes:
        if self._rng.random() < 0.06:
            return self._rng.choice((b"", b"\0", b"junk", b"\0\1\0\0\0\5"))
        names = {each.name: each for each in self._world.node.image}
        owned = [
            TopicPartition(topic=topic.name, partitions=list(actor.owned[topic.topic_id]))
            for topic in names.values()
            if topic.topic_id in actor.owned
        ]
        version = self._rng.choice((0, 1, 2, 3))
        subscription = ConsumerProtocolSubscription(
            topics=self._topics(),
            owned_partitions=owned if version >= 1 else [],
            generation_id=actor.generation if version >= 2 else -1,
            rack_id="r" if version >= 3 else None,
        )
        return write_subscription(subscription, version)

    def _sync(self, actor: Actor) -> tuple[Any, int, str | None]:
        version = self._rng.choice((5, 5, 3, 0))
        assignments = []
        if actor.is_leader or self._rng.random() < 0.05:
            for each in [*actor.others, *(["absent"] if self._rng.random() < 0.1 else [])]:
                part = write_assignment({name: [0] for name in self._topics()}, 1)
                part = part if self._rng.random() < 0.9 else self._rng.choice((b"", b"junk"))
                assignments.append(SyncGroupRequestAssignment(member_id=each, assignment=part))
        kind, name = actor.protocol
        return (
            SyncGroupRequest(
                group_id=self._group(actor),
                generation_id=self._generation(actor),
                member_id=self._member(actor, actor.member_id),
                group_instance_id=self._instance(actor) if version >= 3 else None,
                protocol_type=self._mostly(kind, (None, "x")) if version >= 5 else None,
                protocol_name=self._mostly(name, (None, "x")) if version >= 5 else None,
                assignments=assignments,
            ),
            version,
            actor.name,
        )

    def _heartbeat(self, actor: Actor) -> tuple[Any, int, str | None]:
        version = self._rng.choice((4, 3, 0))
        request = HeartbeatRequest(
            group_id=self._group(actor),
            generation_id=self._generation(actor),
            member_id=self._member(actor, actor.member_id),
            group_instance_id=self._instance(actor) if version >= 3 else None,
        )
        return request, version, actor.name

    def _leave(self, actor: Actor) -> tuple[Any, int, str | None]:
        version = self._rng.choice((5, 3, 0))
        group = self._group(actor)
        if version < 3:
            member_id = self._member(actor, actor.member_id)
            return LeaveGroupRequest(group_id=group, member_id=member_id), version, actor.name
        members = [
            MemberIdentity(
                member_id=self._mostly(each.member_id, ("", "absent")),
                group_instance_id=self._instance(each),
            )
            for each in self._rng.choices(self.actors, k=self._rng.choice((0, 1, 1, 1, 2, 3)))
        ]
        return LeaveGroupRequest(group_id=group, members=members), version, actor.name

    # --------------------------------------------------------------------- the consumer protocol

    def _enter(self, actor: Actor) -> tuple[Any, int, str | None]:
        version = self._rng.choice((1, 1, 0))
        actor.owned = {}
        by_regex = version >= 1 and self._rng.random() < 0.4
        request = ConsumerGroupHeartbeatRequest(
            group_id=self._group(actor),
            member_id=self._member(actor, actor.member_id or f"m-{actor.name}"),
            member_epoch=0,
            instance_id=self._instance(actor),
            rack_id=self._mostly(None, ("r", "")),
            rebalance_timeout_ms=self._mostly(20_000, (0, 1, -1, -2, INT32_MAX, _INT32_MIN)),
            subscribed_topic_names=None if by_regex else self._topics(),
            subscribed_topic_regex=self._rng.choice(REGEXES) if by_regex else None,
            server_assignor=self._mostly(None, ("uniform", "range", "x")),
            topic_partitions=self._mostly([], (None,)),
        )
        return request, version, self._mostly(actor.name, (None,))

    def _beat(self, actor: Actor) -> tuple[Any, int, str | None]:
        version = self._rng.choice((1, 1, 0))
        speaks = self._rng.random() < 0.3
        owned = None
        if self._rng.random() < 0.6:
            owned = [
                TopicPartitions(topic_id=each, partitions=list(parts))
                for each, parts in actor.owned.items()
            ]
        request = ConsumerGroupHeartbeatRequest(
            group_id=self._group(actor),
            member_id=self._member(actor, actor.member_id),
            member_epoch=self._generation(actor),
            instance_id=self._instance(actor),
            rebalance_timeout_ms=self._mostly(-1, (20_000, 0)),
            subscribed_topic_names=self._topics() if speaks else None,
            subscribed_topic_regex=(
                self._rng.choice(REGEXES) if version >= 1 and self._rng.random() < 0.15 else None
            ),
            server_assignor=self._mostly(None, ("uniform", "range")),
            topic_partitions=owned,
        )
        return request, version, actor.name

    def _quit(self, actor: Actor) -> tuple[Any, int, str | None]:
        request = ConsumerGroupHeartbeatRequest(
            group_id=self._group(actor),
            member_id=self._member(actor, actor.member_id),
            member_epoch=self._rng.choice((-1, -1, -2)),
            instance_id=self._instance(actor),
        )
        return request, 1, actor.name

    # --------------------------------------------------------------------------------- responses

    def _update(self, actor: Actor) -> None:
        """Update the client from the responses that have arrived."""
        waiting = []
        for how, request in actor.pending:
            if not request.responses:
                waiting.append((how, request))
                continue
            response = request.responses[0]
            if how == "_join":
                self._joined(actor, response)
            elif how in ("_enter", "_beat", "_heartbeat") and response.error_code in _IS_OUT:
                actor.generation = -1
            elif how in ("_enter", "_beat") and not response.error_code:
                actor.member_id, actor.generation = response.member_id, response.member_epoch
                if response.assignment is not None:
                    actor.owned = {
                        each.topic_id: each.partitions
                        for each in response.assignment.topic_partitions
                    }
        actor.pending = waiting

    def _joined(self, actor: Actor, response: Any) -> None:
        if response.member_id:
            actor.member_id = response.member_id
        if not response.error_code:
            actor.generation = response.generation_id
            actor.is_leader = response.leader == response.member_id
            actor.others = [each.member_id for each in response.members]
            actor.protocol = (response.protocol_type or "consumer", response.protocol_name)

    # -------------------------------------------------------------------------------- random draws

    def _mostly(self, usual: T, odd: Sequence[Any], chance: float = 0.06) -> T:
        """Return *usual*, or one of *odd* with probability *chance*."""
        return self._rng.choice(odd) if self._rng.random() < chance else usual

    def _group(self, actor: Actor) -> str:
        return self._mostly(actor.group, GROUPS)

    def _member(self, actor: Actor, usual: str) -> str:
        others = (*self.member_ids(), "absent", "", actor.member_id)
        return self._mostly(actor.member_id or usual, (usual, *others), 0.15)

    def _instance(self, actor: Actor) -> str | None:
        if self._rng.random() < 0.03:
            actor.instance = self._rng.choice((None, *INSTANCES))
        return self._mostly(actor.instance, (None, *INSTANCES), 0.1)

    def _generation(self, actor: Actor) -> int:
        now = actor.generation
        return self._mostly(now, (now - 1, now + 1, 0, -1, -3, INT32_MAX, _INT32_MIN), 0.1)

    def _topics(self) -> list[str]:
        return [each for each in (*TOPICS, "absent") if self._rng.random() < 0.5]
