"""Scripts: requests of group members, and their responses with times.

    join a                  a JoinGroup of client a, with its last member id, if any
    wait 1500               time passes
    ----
    0 a join MEMBER_ID_REQUIRED a-1
    ...

A script consists of blocks, separated by empty lines; a block consists of commands, ``----`` and
the expected responses. A response begins with its time in milliseconds. At the beginning, lines
with ``#`` describe the script, and lines ``config KEY=VALUE`` configure the broker. The member ids
of client ``a`` (or of instance ``i``) are called a-1, a-2 and so on in the order of their
appearance, those of consumer groups member-1 and so on.

Commands, with their options and defaults:

    join a [instance=] [session=10000] [rebalance=60000] [protocols=p] [type=consumer] [v=9] [as=]
           [topics=t,u [owned=t-0,1/u-0]]   the subscription of a consumer; an assignment in a sync
                                            has the same form: a=t-0,1/u-0
    enter a [...]           join, and join again with the id of a MEMBER_ID_REQUIRED response
    sync a [b=PART ...] [generation=] [type=] [protocol=] [instance=] [as=]
    heartbeat a [generation=] [instance=] [as=]
    leave a [b ...] [instance=]     one request for all of them
    commit a t-0=5 [...] [generation=] [as=] [v=8]   commit - t-0=5 is of a simple consumer
    offsets                 forget t-0 [...]         delete
    wait MS                 state                    unload
    slow                    replicate                refuse ERROR | refuse nothing
    restart                 the node starts again with its logs
    expire                  the expiry that runs every offsets.retention.check.interval.ms

The commands of the consumer protocol are in `tests.broker.groups.consumer_commands`, those of the
streams protocol in `tests.broker.groups.streams_commands`, those of transactions in
`tests.broker.groups.transaction_commands`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.classic.requests import (
    JoinGroup,
    JoinResult,
    LeavingMember,
    SyncGroup,
    SyncResult,
)
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.steps.queue import finish
from protocol import consumer_protocol
from protocol.consumer_protocol import (
    ConsumerProtocolSubscription,
    parse_assignment,
    write_assignment,
    write_subscription,
)
from protocol.errors import ErrorCode
from protocol.schema import ZERO_UUID
from tests.broker.groups.consumer_commands import GROUP, Member, options_of
from tests.broker.groups.streams_commands import StreamsCommands
from tests.broker.groups.virtual_world import VirtualWorld, classic_group

# Commands that are not requests: their effects must not wait for the end of a request.
_NO_REQUESTS = frozenset(
    ("wait", "unload", "slow", "replicate", "refuse", "restart", "expire", "topic", "drop")
)


@dataclass(slots=True)
class Block:
    """Commands and the expected responses."""

    commands: list[str]
    responses: list[str]


@dataclass(slots=True)
class Script:
    """A parsed script."""

    preamble: list[str]
    blocks: list[Block]

    @property
    def config(self) -> dict[str, str]:
        """The configuration of its ``config`` lines."""
        lines = (line.removeprefix("config ") for line in self.preamble if line[:7] == "config ")
        return dict(line.split("=", 1) for line in lines)

    @classmethod
    def parse(cls, text: str) -> Script:
        preamble: list[str] = []
        blocks: list[Block] = []
        for chunk in text.strip().split("\n\n"):
            lines = chunk.splitlines()
            if all(line.startswith(("#", "config ")) for line in lines):
                preamble += lines
            else:
                line = lines.index("----")
                blocks.append(Block(lines[:line], lines[line + 1 :]))
        return cls(preamble, blocks)

    def __str__(self) -> str:
        chunks = ["\n".join(self.preamble)] if self.preamble else []
        chunks += ["\n".join([*each.commands, "----", *each.responses]) for each in self.blocks]
        return "\n\n".join(chunks) + "\n"


class ScriptPlayer(StreamsCommands):
    """Plays commands and collects the responses."""

    def __init__(self, world: VirtualWorld) -> None:
        super().__init__(world)
        self._ids: dict[str, str] = {}

    def play(self, commands: list[str]) -> list[str]:
        """Run *commands* and return the responses that have been sent, in order."""
        for command in commands:
            name, *words = command.split()
            getattr(self, f"_do_{name}")(*words)
            if name not in _NO_REQUESTS:
                self.world.end_request()
        responses, self._responses = self._responses, []
        return responses

    # ----------------------------------------------------------------------------- commands

    def _do_wait(self, duration_ms: str) -> None:
        self.world.wait(float(duration_ms))

    def _do_state(self) -> None:
        group = classic_group(self.world.coordinator, GROUP)
        members = " ".join(sorted(self._called(each) for each in group.members))
        self._say(f"state {group.state} generation {group.generation_id} members {members}".strip())

    def _do_unload(self) -> None:
        for partition in range(len(self.world.logs)):
            self.world.coordinator.runtime.on_resignation(partition)

    def _do_slow(self) -> None:
        self.world.slow_down()

    def _do_replicate(self) -> None:
        self.world.replicate()

    def _do_refuse(self, error: str) -> None:
        self.world.refuse(None if error == "nothing" else ErrorCode[error])

    def _do_restart(self) -> None:
        self.world.restart()

    def _do_expire(self) -> None:
        finish(self.world.coordinator.expire_offsets())

    def _do_join(self, name: str, *words: str) -> None:
        member, options = self._member(name), options_of(words)
        self._join(member, options, partial(self._on_joined, member))

    def _do_enter(self, name: str, *words: str) -> None:
        member, options = self._member(name), options_of(words)

        def on_first_response(result: JoinResult) -> None:
            if result.error is not ErrorCode.MEMBER_ID_REQUIRED:
                self._on_joined(member, result)
                return
            member.member_id = result.member_id
            self._join(member, options, partial(self._on_joined, member))

        self._join(member, options, on_first_response)

    def _join(
        self, member: Member, options: dict[str, str], on_response: Callable[[JoinResult], None]
    ) -> None:
        version = int(options.get("v", 9))
        member.instance = options.get("instance", member.instance)
        names = [name for name in options.get("protocols", "p").split(",") if name]
        metadata = options.get("metadata", "").encode()
        if "topics" in options:
            member.is_consumer = True
            metadata = self._subscription(options["topics"], options.get("owned", ""))
        request = JoinGroup(
            group_id=GROUP,
            member_id=self._id(options, member),
            group_instance_id=member.instance,
            client_id=member.name,
            session_timeout_ms=int(options.get("session", 10_000)),
            rebalance_timeout_ms=int(options.get("rebalance", 60_000)),
            protocol_type=options.get("type", "consumer"),
            protocols=tuple(MemberProtocol(name, metadata) for name in names),
            require_known_member_id=version >= 4,
            supports_skipping_assignment=version >= 9,
        )
        self.world.coordinator.join_group(request, on_response)

    def _do_sync(self, name: str, *words: str) -> None:
        member, options = self._member(name), options_of(words)
        request = SyncGroup(
            group_id=GROUP,
            generation_id=int(options.get("generation", member.generation_id)),
            member_id=self._id(options, member),
            group_instance_id=options.get("instance", member.instance),
            protocol_type=options.get("type", member.protocol_type),
            protocol_name=options.get("protocol", member.protocol_name),
            assignments={
                self.members[name].member_id: write_assignment(self._by_topic(part), 1)
                if member.is_consumer
                else part.encode()
                for name, part in options.items()
                if name in self.members
            },
        )
        self.world.coordinator.sync_group(request, partial(self._on_synced, member))

    def _do_heartbeat(self, name: str, *words: str) -> None:
        member, options = self._member(name), options_of(words)
        try:
            error = self.world.coordinator.heartbeat(
                GROUP,
                self._id(options, member),
                options.get("instance", member.instance),
                int(options.get("generation", member.generation_id)),
            )
        except ApiError as refused:
            self._say(f"{name} heartbeat {refused.code.name}")
        else:
            self._say_when_replicated(f"{name} heartbeat", error.name)

    def _do_leave(self, *words: str) -> None:
        options = options_of(words)
        names = [word for word in words if "=" not in word]
        leaving = [
            LeavingMember(
                member_id=self.members[name].member_id,
                group_instance_id=self.members[name].instance,
            )
            for name in names
        ]
        if "instance" in options:
            leaving.append(LeavingMember(member_id="", group_instance_id=options["instance"]))
            names.append(options["instance"])
        errors = self.world.coordinator.departures.leave(GROUP, leaving)
        for name, error in zip(names, errors, strict=True):
            self._say_when_replicated(f"{name} leave", error.name)

    def _do_commit(self, name: str, *words: str) -> None:
        member, options = self._member(name), options_of(words)
        commits = [
            Commit(partition := _partition(key), int(offset), topic_id=self._topic_id(partition))
            for key, offset in options.items()
            if "-" in key
        ]
        request = OffsetCommit(
            group_id=GROUP,
            generation_id_or_member_epoch=int(options.get("generation", member.generation_id)),
            member_id=self._id(options, member),
            group_instance_id=member.instance,
            api_version=int(options.get("v", 8 if member.protocol_type else 9)),
            producer=self._producer(options),
            commits=commits,
        )
        try:
            errors = self.world.coordinator.offsets.commit(request)
        except ApiError as refused:
            self._say(f"{name} commit {' '.join([refused.code.name] * len(commits))}")
        else:
            self._say_when_replicated(f"{name} commit", " ".join(each.name for each in errors))

    def _do_offsets(self) -> None:
        offsets = self.world.coordinator.offsets.fetch(GROUP)
        shown = " ".join(f"{where}={what.offset}" for where, what in sorted(offsets.items()))
        self._say(f"offsets {shown or 'none'}{self._unstable()}")

    def _do_forget(self, *words: str) -> None:
        partitions = [_partition(word) for word in words]
        try:
            errors = self.world.coordinator.offsets.delete(GROUP, partitions)
        except ApiError as refused:
            self._say(f"forget {refused.code.name}")
        else:
            result = " ".join(error.name for error in errors.values())
            self._say_when_replicated("forget", result)

    def _do_delete(self) -> None:
        try:
            self.world.coordinator.delete_group(GROUP)
        except ApiError as refused:
            self._say(f"delete {refused.code.name}")
        else:
            self._say_when_replicated("delete", "NONE")

    # ---------------------------------------------------------------------------- responses

    def _on_joined(self, member: Member, result: JoinResult) -> None:
        if result.error:
            if result.error is ErrorCode.MEMBER_ID_REQUIRED:
                member.member_id = result.member_id
            called = self._called(result.member_id)
            self._say(f"{member.name} join {result.error.name} {called}".rstrip())
            return
        member.member_id = result.member_id
        member.generation_id = result.generation_id
        member.protocol_type = result.protocol_type
        member.protocol_name = result.protocol_name
        text = (
            f"{member.name} join generation {result.generation_id} {result.protocol_name}"
            f" as {self._called(result.member_id)} led by {self._called(result.leader_id)}"
        )
        if result.members:
            members = sorted(self._called(each.member_id) for each in result.members)
            text += f" members {' '.join(members)}"
        if result.skip_assignment:
            text += " skip assignment"
        self._say(text)

    def _on_synced(self, member: Member, result: SyncResult) -> None:
        if result.error:
            self._say(f"{member.name} sync {result.error.name}")
            return
        part = result.assignment
        shown = self._shown_assignment(part) if member.is_consumer else part.decode()
        self._say(f"{member.name} sync {shown or 'nothing'}")

    # ---------------------------------------------------------------------------- the names

    def _id(self, options: dict[str, str], member: Member) -> str:
        """The member id of a request: the one that ``as`` names, or the client's last one."""
        if "as" not in options:
            return member.member_id
        called = options["as"]
        real = {name: member_id for member_id, name in self._ids.items()}
        return "" if called == "none" else real.get(called, called)

    def _called(self, member_id: str) -> str:
        """The name of a member id in scripts, without the random part."""
        if member_id not in self._ids:
            prefix, random = member_id[:-37], member_id[-36:]
            if re.fullmatch(r"[\w-]{22}", member_id):
                prefix = "member"
            elif not re.fullmatch(r"[0-9a-f-]{36}", random):
                return member_id
            given = sum(called.startswith(f"{prefix}-") for called in self._ids.values())
            self._ids[member_id] = f"{prefix}-{given + 1}"
        return self._ids[member_id]

    # --------------------------------------------------------------------------- the topics

    def _by_topic(self, text: str) -> dict[str, list[int]]:
        """Partitions in the form t-0,1/u-0."""
        parts = (part.rsplit("-", 1) for part in text.split("/") if part)
        return {topic: [int(index) for index in indexes.split(",")] for topic, indexes in parts}

    def _topic_id(self, partition: TopicPartition) -> UUID:
        """The id of a topic, as a handler adds it to a commit."""
        topic = self.world.image.topic(partition.topic)
        return ZERO_UUID if topic is None else topic.topic_id

    def _topic_names(self, text: str) -> list[str]:
        """Topics in the form t,u."""
        return text.split(",")

    def _subscription(self, topics: str, owned: str) -> bytes:
        subscription = ConsumerProtocolSubscription(
            topics=self._topic_names(topics),
            owned_partitions=[
                consumer_protocol.TopicPartition(topic=topic, partitions=indexes)
                for topic, indexes in self._by_topic(owned).items()
            ],
        )
        return write_subscription(subscription, 1)

    def _shown_assignment(self, raw: bytes) -> str:
        return "/".join(
            f"{each.topic}-{','.join(map(str, each.partitions))}"
            for each in parse_assignment(raw).assigned_partitions
        )


def _partition(text: str) -> TopicPartition:
    topic, index = re.fullmatch(r"(.+)-(\d+)", text).groups()  # type: ignore[union-attr]  # it is
    return TopicPartition(topic, int(index))
