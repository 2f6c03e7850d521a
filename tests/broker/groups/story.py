"""Group stories: what members do, and what they are answered and when, as a script.

    join a                  a's JoinGroup, with the member id it was given last, if any
    wait 1500               time passes
    ----
    0 a join MEMBER_ID_REQUIRED a-1
    ...

A story is blocks of commands, ``----``, and the expected answers, separated by empty lines; each
answer begins with its time in milliseconds. Lines before the first command that begin with ``#``
say what the story shows, ``config KEY=VALUE`` lines set the broker up. The member ids given to
client ``a`` (or to instance ``i``) are called a-1, a-2 and so on in the order in which they appear.

Commands, with their options and defaults:

    join a [instance=] [session=10000] [rebalance=60000] [protocols=p] [type=consumer] [v=9] [as=]
    enter a [...]           join, and join again with the id that the first answer brings
    sync a [b=PART ...] [generation=] [type=] [protocol=] [instance=] [as=]
    heartbeat a [generation=] [instance=] [as=]
    leave a [b ...] [instance=]     several at once leave in one request
    commit a t-0=5 [...] [generation=] [as=]    commit - t-0=5: a simple consumer
    wait MS                 state                unload
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from broker.groups.coordinator import GroupCoordinator
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.groups.requests import (
    JoinGroup,
    JoinResult,
    LeavingMember,
    MemberProtocol,
    SyncGroup,
    SyncResult,
)
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode

GROUP = "g"


class World(Protocol):
    """The coordinator of a story, and its time."""

    coordinator: GroupCoordinator

    def now_ms(self) -> float: ...

    def wait(self, duration_ms: float) -> None: ...


@dataclass(slots=True)
class Block:
    """Commands, and the answers they bring."""

    commands: list[str]
    answers: list[str]


@dataclass(slots=True)
class Script:
    """A story as it is written down."""

    preamble: list[str]
    blocks: list[Block]

    @property
    def config(self) -> dict[str, str]:
        """The keys that its ``config`` lines set."""
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
        chunks += ["\n".join([*each.commands, "----", *each.answers]) for each in self.blocks]
        return "\n\n".join(chunks) + "\n"


class Member:
    """A client of the story: what it remembers between its requests."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.member_id = ""
        self.generation_id = -1
        self.instance: str | None = None
        self.protocol_type: str | None = None
        self.protocol_name: str | None = None


class Story:
    """Plays a script and writes down the answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._members: dict[str, Member] = {}
        self._ids: dict[str, str] = {}
        self._answers: list[str] = []

    def play(self, commands: list[str]) -> list[str]:
        """Do *commands* and return the answers that came, in order."""
        for command in commands:
            name, *words = command.split()
            getattr(self, f"_do_{name}")(*words)
        answers, self._answers = self._answers, []
        return answers

    # ----------------------------------------------------------------------------- commands

    def _do_wait(self, duration_ms: str) -> None:
        self._world.wait(float(duration_ms))

    def _do_state(self) -> None:
        group = self._world.coordinator.groups[GROUP]
        members = " ".join(sorted(self._called(each) for each in group.members))
        self._say(f"state {group.state} generation {group.generation_id} members {members}".strip())

    def _do_unload(self) -> None:
        self._world.coordinator.unload()

    def _do_join(self, name: str, *words: str) -> None:
        member, options = self._member(name), _options(words)
        self._join(member, options, partial(self._on_joined, member))

    def _do_enter(self, name: str, *words: str) -> None:
        member, options = self._member(name), _options(words)

        def on_first_answer(result: JoinResult) -> None:
            if result.error is not ErrorCode.MEMBER_ID_REQUIRED:
                self._on_joined(member, result)
                return
            member.member_id = result.member_id
            self._join(member, options, partial(self._on_joined, member))

        self._join(member, options, on_first_answer)

    def _join(
        self, member: Member, options: dict[str, str], on_response: Callable[[JoinResult], None]
    ) -> None:
        version = int(options.get("v", 9))
        member.instance = options.get("instance", member.instance)
        names = [name for name in options.get("protocols", "p").split(",") if name]
        metadata = options.get("metadata", "").encode()
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
        self._world.coordinator.join_group(request, on_response)

    def _do_sync(self, name: str, *words: str) -> None:
        member, options = self._member(name), _options(words)
        request = SyncGroup(
            group_id=GROUP,
            generation_id=int(options.get("generation", member.generation_id)),
            member_id=self._id(options, member),
            group_instance_id=options.get("instance", member.instance),
            protocol_type=options.get("type", member.protocol_type),
            protocol_name=options.get("protocol", member.protocol_name),
            assignments={
                self._members[name].member_id: part.encode()
                for name, part in options.items()
                if name in self._members
            },
        )
        self._world.coordinator.sync_group(request, partial(self._on_synced, member))

    def _do_heartbeat(self, name: str, *words: str) -> None:
        member, options = self._member(name), _options(words)
        error = self._world.coordinator.heartbeat(
            GROUP,
            self._id(options, member),
            options.get("instance", member.instance),
            int(options.get("generation", member.generation_id)),
        )
        self._say(f"{name} heartbeat {error.name}")

    def _do_leave(self, *words: str) -> None:
        options = _options(words)
        names = [word for word in words if "=" not in word]
        leaving = [
            LeavingMember(
                member_id=self._members[name].member_id,
                group_instance_id=self._members[name].instance,
            )
            for name in names
        ]
        if "instance" in options:
            leaving.append(LeavingMember(member_id="", group_instance_id=options["instance"]))
            names.append(options["instance"])
        errors = self._world.coordinator.leave_group(GROUP, leaving)
        for name, error in zip(names, errors, strict=True):
            self._say(f"{name} leave {error.name}")

    def _do_commit(self, name: str, *words: str) -> None:
        member, options = self._member(name), _options(words)
        commits = [
            Commit(TopicPartition(*_partition(key)), int(offset))
            for key, offset in options.items()
            if "-" in key
        ]
        request = OffsetCommit(
            group_id=GROUP,
            generation_id=int(options.get("generation", member.generation_id)),
            member_id=self._id(options, member),
            group_instance_id=member.instance,
            commits=commits,
        )

        def on_committed(errors: Any) -> None:
            self._say(f"{name} commit {' '.join(error.name for error in errors)}")

        self._world.coordinator.offsets.commit(request, on_committed)

    # ------------------------------------------------------------------------------ answers

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
        else:
            self._say(f"{member.name} sync {result.assignment.decode() or 'nothing'}")

    def _say(self, text: str) -> None:
        self._answers.append(f"{self._world.now_ms():.0f} {text}")

    # ---------------------------------------------------------------------------- the names

    def _member(self, name: str) -> Member:
        return self._members.setdefault(name, Member("" if name == "-" else name))

    def _id(self, options: dict[str, str], member: Member) -> str:
        """The member id to send: what the story calls it, or the last one given."""
        if "as" not in options:
            return member.member_id
        called = options["as"]
        real = {name: member_id for member_id, name in self._ids.items()}
        return "" if called == "nobody" else real.get(called, called)

    def _called(self, member_id: str) -> str:
        """A short name instead of the id's random part."""
        if member_id not in self._ids:
            prefix, random = member_id[:-37], member_id[-36:]
            if not re.fullmatch(r"[0-9a-f-]{36}", random):
                return member_id
            given = sum(called.startswith(f"{prefix}-") for called in self._ids.values())
            self._ids[member_id] = f"{prefix}-{given + 1}"
        return self._ids[member_id]


def _options(words: tuple[str, ...]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words if "=" in word)


def _partition(text: str) -> tuple[str, int]:
    topic, index = re.fullmatch(r"(.+)-(\d+)", text).groups()  # type: ignore[union-attr]  # it is
    return topic, int(index)
