"""The commands of scripts for members of the consumer protocol.

    topic t 4               create topic t with 4 partitions, or extend it
    drop t                  delete a topic
    consume a t,u [regex=] [instance=] [rack=] [assignor=] [rebalance=60000] [as=]
                            a joins: a heartbeat with epoch 0
    beat a [owned] [topics=] [regex=] [epoch=] [instance=] [as=]
                            a heartbeat; ``owned``: with the partitions of the last assignment
    quit a                  a leaves        pause a     the static member a leaves temporarily
    describe                the group, and the assignment and target of each member

The member id is the name. A response contains the epoch, and the assignment if it has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from broker.common.errors import ApiError
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from protocol.errors import ErrorCode
from tests.broker.groups.virtual_world import VirtualWorld

GROUP = "g"
_VERSION = 1


class Member:
    """A client, with the state that it keeps between requests."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.member_id = ""
        self.generation_id = -1
        self.instance: str | None = None
        self.protocol_type: str | None = None
        self.protocol_name: str | None = None
        # Whether a classic member is a consumer.
        self.is_consumer = False
        # The last assignment of a member of the consumer protocol.
        self.assigned: Mapping[UUID, Sequence[int]] = {}


class ConsumerCommands:
    """Plays commands and collects the responses."""

    def __init__(self, world: VirtualWorld) -> None:
        self.world = world
        self.members: dict[str, Member] = {}
        self._responses: list[str] = []

    def _do_topic(self, name: str, partitions: str) -> None:
        self.world.put_topic(name, int(partitions))

    def _do_drop(self, name: str) -> None:
        self.world.drop_topic(name)

    def _do_consume(self, name: str, *words: str) -> None:
        options, member = options_of(words), self._member(name)
        topics = [word for word in words if "=" not in word]
        member.member_id = options.get("as", name)
        member.instance = options.get("instance")
        member.assigned = {}
        names = topics[0].split(",") if topics else None
        request = ConsumerGroupHeartbeat(
            group_id=GROUP,
            member_id=member.member_id,
            member_epoch=0,
            instance_id=member.instance,
            rack_id=options.get("rack"),
            client_id=name,
            rebalance_timeout_ms=int(options.get("rebalance", 60_000)),
            subscribed_topic_names=None if names is None else frozenset(names),
            subscribed_topic_regex=options.get("regex"),
            server_assignor=options.get("assignor"),
            owned={},
        )
        self._send(member, request, "consume")

    def _do_beat(self, name: str, *words: str) -> None:
        options, member = options_of(words), self._member(name)
        topics = options.get("topics")
        request = ConsumerGroupHeartbeat(
            group_id=GROUP,
            member_id=options.get("as", member.member_id),
            member_epoch=int(options.get("epoch", member.generation_id)),
            instance_id=options.get("instance", member.instance),
            client_id=name,
            subscribed_topic_names=None if topics is None else frozenset(topics.split(",")),
            subscribed_topic_regex=options.get("regex"),
            server_assignor=options.get("assignor"),
            owned=member.assigned if "owned" in words else None,
        )
        self._send(member, request, "beat")

    def _do_quit(self, name: str) -> None:
        self._go(name, "quit", -1)

    def _do_pause(self, name: str) -> None:
        self._go(name, "pause", -2)

    def _go(self, name: str, what: str, epoch: int) -> None:
        member = self._member(name)
        request = ConsumerGroupHeartbeat(
            group_id=GROUP,
            member_id=member.member_id,
            member_epoch=epoch,
            instance_id=member.instance,
        )
        self._send(member, request, what)

    def _send(self, member: Member, request: ConsumerGroupHeartbeat, what: str) -> None:
        try:
            result = self.world.coordinator.consumers.heartbeat(request, _VERSION)
        except ApiError as error:
            self._say(f"{member.name} {what} {error.code.name}")
            return
        member.generation_id = result.member_epoch
        assignment = ""
        if result.assigned is not None:
            member.assigned = {topic: sorted(parts) for topic, parts in result.assigned.items()}
            assignment = f" has {self._shown(result.assigned)}"
        self._say_when_replicated(
            f"{member.name} {what}", f"epoch {result.member_epoch}{assignment}"
        )

    def _do_describe(self) -> None:
        group = self.world.coordinator.groups[GROUP]
        assert isinstance(group, ConsumerGroup)
        self._say(f"group {group.state_name} epoch {group.epoch} assigned {group.assignment_epoch}")
        named = {self._called(member_id): member for member_id, member in group.members.items()}
        for name, member in sorted(named.items()):
            target = group.target.get(member.member_id, {})
            has, shall = self._shown(member.owned), self._shown(target)
            goal = "" if has == shall else f" shall have {shall}"
            self._say(f"- {name} epoch {member.member_epoch} has {has}{goal}")

    def _shown(self, partitions: Mapping[UUID, Iterable[int]]) -> str:
        names = self.world.image.names
        shown = sorted(
            f"{names.get(topic_id, '?')}-{','.join(map(str, sorted(parts)))}"
            for topic_id, parts in partitions.items()
        )
        return " ".join(shown) or "nothing"

    # ---------------------------------------------------------------------------- responses

    def _say_when_replicated(self, what: str, result: str) -> None:
        def on_replicated(error: ErrorCode) -> None:
            self._say(f"{what} {error.name if error else result}")

        self.world.coordinator.runtime.when_replicated(GROUP, on_replicated)

    def _say(self, text: str) -> None:
        self._responses.append(f"{self.world.now_ms():.0f} {text}")

    def _called(self, member_id: str) -> str:
        """The name of a member id in scripts."""
        return member_id

    def _member(self, name: str) -> Member:
        return self.members.setdefault(name, Member("" if name == "-" else name))


def options_of(words: tuple[str, ...]) -> dict[str, str]:
    """The words of the form KEY=VALUE."""
    return dict(word.split("=", 1) for word in words if "=" in word)
