"""Plays the group scripts of tests/ to any broker over the network.

The compared responses have neither times nor fields that DescribeGroups lacks. The number of
responses to each command is known from playing the script in virtual time first. Therefore no time
is spent on waiting for further responses.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.config import Config, Setting
from integration.groups.remote_world import RemoteWorld
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.schema import ZERO_UUID
from tests.broker.groups.script import Script, ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld

SCRIPTS = Path(__file__).parents[2] / "tests" / "broker" / "groups" / "testdata"
# Commands that only our broker supports.
# Scenarios of the parity suite compare transactions; the commands here call the coordinator.
_OURS = re.compile(
    r"^(slow|replicate|refuse|restart|unload|expire|end)\b|^commit .*\btxn=", re.MULTILINE
)
_WAIT = re.compile(r"^wait (\d+)", re.MULTILINE)
_GENERATION = re.compile(r"(?<=^state )(\w+) generation \d+")
# The time limit of an expected response, and the time in which a request is processed.
_RESPONSE_WITHIN_S = 3.0
_QUIET_S = 0.4
# Waits in a script are exact; here a wait ends well before or well after the event it is about.
_BEFORE_MS, _AFTER_MS = -300, 200


def plays_anywhere(path: Path, *, within_ms: int) -> bool:
    """Whether a script has only commands that every broker supports, and is short enough."""
    text = path.read_text()
    return not _OURS.search(text) and sum(map(int, _WAIT.findall(text))) <= within_ms


def played(script: Script, bootstrap: str) -> list[list[str]]:
    """Return the responses of each block of a script, sorted, without times."""
    world = RemoteWorld(bootstrap)
    try:
        player = RemotePlayer(world, _responses_per_command(script))
        return [sorted(map(without_time, player.play(block.commands))) for block in script.blocks]
    finally:
        world.close()


def expected(script: Script) -> list[list[str]]:
    """Return the responses that the script expects, in the same form."""
    return [sorted(map(without_time, block.responses)) for block in script.blocks]


def without_time(response: str) -> str:
    """The response without its time."""
    return _GENERATION.sub(r"\1", response.partition(" ")[2])


def _responses_per_command(script: Script) -> list[int]:
    """Return the number of responses to each command of a script, over all blocks."""
    settings = [Setting(key, value, "the script") for key, value in script.config.items()]
    player = ScriptPlayer(VirtualWorld(Config.from_settings(settings)))
    return [len(player.play([each])) for block in script.blocks for each in block.commands]


class RemotePlayer(ScriptPlayer):
    """A script whose coordinator is remote."""

    def __init__(self, world: RemoteWorld, responses_per_command: Sequence[int]) -> None:
        super().__init__(cast("VirtualWorld", world))
        self._response_counts = iter(responses_per_command)
        self._pending = 0
        self._ahead_ms = 0.0
        # Commands of a script take no time; here later events may be delayed by this time.
        self._spread_ms = 0.0

    def play(self, commands: list[str]) -> list[str]:
        responses = []
        for command in commands:
            self._pending += next(self._response_counts)
            sent = self._remote.sent
            responses += self._count(super().play([command]))
            self._await(lambda: len(self._responses) >= self._pending)
            if self._remote.sent > sent and self._remote.is_awaiting:
                self._let_arrive()
            responses += self._count(super().play([]))
        return responses

    def _let_arrive(self) -> None:
        """Wait until an open request is processed; later waits become shorter by this time."""
        began_ms = self.world.now_ms()
        self._remote.take(_QUIET_S)
        took_ms = self.world.now_ms() - began_ms
        self._ahead_ms += took_ms
        self._spread_ms += took_ms

    def _await(self, is_so: Callable[[], bool]) -> None:
        """Handle responses until the condition holds or the time limit is reached."""
        deadline = time.monotonic() + _RESPONSE_WITHIN_S
        while not is_so() and time.monotonic() < deadline:
            self._remote.take(_QUIET_S)

    def _count(self, responses: list[str]) -> list[str]:
        self._pending -= len(responses)
        return responses

    def _do_enter(self, name: str, *words: str) -> None:
        before = self._remote.responses
        super()._do_enter(name, *words)
        self._await(lambda: self._remote.responses > before)

    def _do_wait(self, duration_ms: str) -> None:
        ahead_ms = _BEFORE_MS if duration_ms.endswith("9") else _AFTER_MS
        late_ms = (
            self._spread_ms if int(duration_ms) == 1 else 0
        )  # events due now must have occurred
        self.world.wait(max(0, int(duration_ms) + ahead_ms - self._ahead_ms) + late_ms)
        self._ahead_ms = ahead_ms

    def _topic_id(self, partition: TopicPartition) -> UUID:
        """None is needed: a broker finds the id itself."""
        return ZERO_UUID

    def _unstable(self) -> str:
        """No script that is played here has transactions."""
        return ""

    @property
    def _remote(self) -> RemoteWorld:
        return cast("RemoteWorld", self.world)

    def _do_state(self) -> None:
        reported = self._remote.request(DescribeGroupsRequest(groups=[self._remote.group]), 5)
        (group,) = reported.groups
        members = " ".join(sorted(self._called(each.member_id) for each in group.members))
        self._say(f"state {group.group_state} generation 0 members {members}".strip())

    def _do_describe(self) -> None:
        reported = self._remote.request(
            ConsumerGroupDescribeRequest(group_ids=[self._remote.group])
        )
        (group,) = reported.groups
        self._say(
            f"group {group.group_state} epoch {group.group_epoch} assigned {group.assignment_epoch}"
        )
        for member in sorted(group.members, key=lambda each: self._called(each.member_id)):
            has = self._shown(_by_id(member.assignment.topic_partitions))
            shall = self._shown(_by_id(member.target_assignment.topic_partitions))
            goal = "" if has == shall else f" shall have {shall}"
            called = self._called(member.member_id)
            self._say(f"- {called} epoch {member.member_epoch} has {has}{goal}")

    def _by_topic(self, text: str) -> dict[str, list[int]]:
        return {self._remote.real(name): ps for name, ps in super()._by_topic(text).items()}

    def _topic_names(self, text: str) -> list[str]:
        return [self._remote.real(name) for name in super()._topic_names(text)]

    def _shown_assignment(self, raw: bytes) -> str:
        return super()._shown_assignment(raw).replace(self._remote.prefix, "")


def _by_id(topics: Sequence[Any]) -> dict[uuid.UUID, Sequence[int]]:
    return {topic.topic_id: topic.partitions for topic in topics}
