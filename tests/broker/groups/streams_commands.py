"""The commands of scripts for members of the streams protocol.

    run a t,u [log=c] [process=a] [rebalance=60000]
                            a joins: its subtopology 0 reads the topics, and has a changelog
    tick a [owned] [none] [epoch=] [shutdown]
                            a heartbeat; ``owned``: with the tasks of the last assignment,
                            ``none``: with no tasks
    stop a                  a leaves
    tasks                   the group, and the tasks and the target of each member

A response contains the epoch, the tasks if they have changed, and the codes of the statuses.
Standby tasks follow a ``+``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from broker.common.errors import ApiError
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.requests import OwnedTasks, StreamsGroupHeartbeat
from broker.groups.streams.tasks import EMPTY, Tasks, TasksWithEpochs
from broker.groups.streams.topology import InternalTopic, StreamsTopology, Subtopology
from tests.broker.groups.consumer_commands import GROUP, options_of
from tests.broker.groups.transaction_commands import TransactionCommands
from tests.broker.groups.virtual_world import VirtualWorld

_NOTHING = OwnedTasks(active=[], standby=[], warmup=[])
_REBALANCE_TIMEOUT_MS = 60_000


class StreamsCommands(TransactionCommands):
    """Plays commands and collects the responses."""

    def __init__(self, world: VirtualWorld) -> None:
        super().__init__(world)
        # The last tasks of each member, by name.
        self._tasks: dict[str, OwnedTasks] = {}

    def _do_run(self, name: str, topics: str, *words: str) -> None:
        options = options_of(words)
        self._tasks[name] = _NOTHING
        request = StreamsGroupHeartbeat(
            group_id=GROUP,
            member_id=name,
            member_epoch=0,
            client_id=name,
            rebalance_timeout_ms=int(options.get("rebalance", _REBALANCE_TIMEOUT_MS)),
            topology=_topology(topics, options.get("log")),
            owned=_NOTHING,
            process_id=options.get("process", name),
        )
        self._send_streams(request, "run")

    def _do_tick(self, name: str, *words: str) -> None:
        owned = OwnedTasks()
        if "owned" in words:
            owned = self._tasks[name]
        elif "none" in words:
            owned = _NOTHING
        request = StreamsGroupHeartbeat(
            group_id=GROUP,
            member_id=name,
            member_epoch=int(options_of(words).get("epoch", self._member(name).generation_id)),
            client_id=name,
            owned=owned,
            shutdown_application="shutdown" in words,
        )
        self._send_streams(request, "tick")

    def _do_stop(self, name: str) -> None:
        request = StreamsGroupHeartbeat(group_id=GROUP, member_id=name, member_epoch=-1)
        self._send_streams(request, "stop")

    def _send_streams(self, request: StreamsGroupHeartbeat, what: str) -> None:
        name = request.member_id
        try:
            result = self.world.coordinator.streams.heartbeat(request)
        except ApiError as error:
            self._say(f"{name} {what} {error.code.name}")
            return
        self._member(name).member_id = name
        self._member(name).generation_id = result.member_epoch
        text = f"epoch {result.member_epoch}"
        if result.assigned is not None:
            self._tasks[name] = _owned(result.assigned)
            text += f" has {_shown(result.assigned)}"
        codes = " ".join(each.code.name for each in result.statuses)
        self._say_when_replicated(f"{name} {what}", f"{text} {codes}".rstrip())

    def _do_tasks(self) -> None:
        group = self.world.coordinator.groups[GROUP]
        assert isinstance(group, StreamsGroup)
        self._say(f"group {group.state_name} epoch {group.epoch} assigned {group.assignment_epoch}")
        for name, member in sorted(group.members.items()):
            target = group.target.get(name, EMPTY)
            has, shall = _shown(member.current.assigned), _shown(target)
            goal = "" if has == shall else f" shall have {shall}"
            self._say(f"- {name} epoch {member.member_epoch} has {has}{goal}")


def _topology(topics: str, log: str | None) -> StreamsTopology:
    subtopology = Subtopology(
        subtopology_id="0",
        source_topics=tuple(topics.split(",")),
        state_changelog_topics=() if log is None else (InternalTopic(name=log),),
    )
    return StreamsTopology(epoch=0, subtopologies=(subtopology,))


def _owned(tasks: TasksWithEpochs) -> OwnedTasks:
    """Assigned tasks as a member reports them."""
    return OwnedTasks(
        active=[(each, sorted(partitions)) for each, partitions in tasks.active.items()],
        standby=list(tasks.standby.items()),
        warmup=[],
    )


def _shown(tasks: Tasks | TasksWithEpochs) -> str:
    standby = _partitions(tasks.standby)
    return (_partitions(tasks.active) or "nothing") + (f" + {standby}" if standby else "")


def _partitions(tasks: Mapping[str, Iterable[int]]) -> str:
    return " ".join(
        f"{each}-{','.join(map(str, sorted(tasks[each])))}" for each in sorted(tasks) if tasks[each]
    )
