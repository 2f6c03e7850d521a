"""Random programs about streams groups: a seed determines the steps.

Up to four members of a group join, heartbeat with tasks that they have or do not have, leave and
commit, while topics grow, disappear and return. Each step shows the response and the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from integration.parity.admin_requests import (
    create_partitions,
    create_topics,
    delete_topics,
    new_topic,
)
from integration.parity.comparison import Program
from integration.parity.formatting import by_partition
from integration.parity.group_requests import commit, committed
from integration.parity.scenario import Kafka
from integration.parity.streams_group import StreamsGroup, StreamsMember
from integration.parity.streams_requests import (
    delete_offsets,
    endpoint,
    owned,
    subtopology,
    tags,
    topology,
)
from protocol.messages.delete_groups import DeleteGroupsRequest

MEMBERS = ("a", "q", "b", "member-1")  # "a" and "q" share a bucket of a Java hash table
STEPS_MAX = 30
PARTITIONS = 4
PARTITIONS_MAX = 7
_WEIGHTS = {
    "join": 6,
    "join_with_endpoint": 1,
    "join_with_old_topology": 1,
    "beat": 4,
    "report": 12,
    "report_odd_tasks": 2,
    "beat_at_odd_epoch": 2,
    "report_at_previous_epoch": 2,
    "change": 2,
    "leave": 2,
    "shut_down": 1,
    "commit": 3,
    "fetch_offsets": 1,
    "delete_offsets": 1,
    "grow": 1,
    "replace_topic": 1,
    "set_standbys": 1,
    "describe": 2,
    "delete_group": 1,
}


@dataclass(frozen=True)
class Step:
    """A step of one member; *number* chooses among its variants."""

    name: str
    member: str
    number: int

    def __str__(self) -> str:
        return f"{self.name} {self.member} {self.number}"


def streams_program(seed: int) -> Program[Step]:
    """The program with a seed."""
    random = Random(seed)
    count = random.randint(8, STEPS_MAX)
    names = random.choices(list(_WEIGHTS), list(_WEIGHTS.values()), k=count)
    members = MEMBERS[: random.randint(1, len(MEMBERS))]
    drawn = [Step(name, random.choice(members), random.randrange(12)) for name in names]
    return Program(seed, (Step("join", members[0], 0), *drawn))


def play_streams(kafka: Kafka, steps: Iterable[Step]) -> Iterator[str]:
    """Play steps on one system, and yield the result of each."""
    game = StreamsGame(kafka)
    for step in steps:
        yield f"{step}: {game.play(step)}"


class StreamsGame:
    """Plays the steps of a program on one system."""

    def __init__(self, kafka: Kafka) -> None:
        self._kafka = kafka
        self._counts = {"stateful": PARTITIONS, "stateless": 3}
        self._topics = {name: kafka.topic(count) for name, count in self._counts.items()}
        changelog = kafka.topic(PARTITIONS)
        self._sent = topology(
            subtopology("0", self._topics["stateful"], changelogs=[changelog]),
            subtopology("1", self._topics["stateless"]),
            epoch=1,
        )
        self._group = StreamsGroup(kafka, self._sent)
        self._members = {name: self._group.member(name) for name in MEMBERS}

    def play(self, step: Step) -> str:
        """The response to a step and the records that it has written."""
        act: Callable[[StreamsMember, int], object] = getattr(self, f"_{step.name}")
        response = act(self._members[step.member], step.number)
        records = self._group.records()
        if step.name == "delete_group":  # topics are in the order of a hash table
            records.sort()
        return self._kafka.formatter.line((response, records))

    # ---------------------------------------------------------------------------- heartbeats

    def _join(self, member: StreamsMember, number: int) -> object:
        fields = {"process_id": "shared"} if number % 4 == 3 else {}
        return member.join(**fields)

    def _join_with_endpoint(self, member: StreamsMember, number: int) -> object:
        # A member that changes its endpoint may get the former one from Kafka.
        return member.join(user_endpoint=endpoint(member.id), endpoint_information_epoch=number - 1)

    def _join_with_old_topology(self, member: StreamsMember, _: int) -> object:
        old = topology(subtopology("0", self._topics["stateless"]))
        return self._group.member(member.id, old).join()

    def _beat(self, member: StreamsMember, number: int) -> object:
        return member.beat(endpoint_information_epoch=number % 3)

    def _report(self, member: StreamsMember, _: int) -> object:
        return member.report()

    def _report_odd_tasks(self, member: StreamsMember, number: int) -> object:
        return member.beat(**owned(*_ODD_TASKS[number % len(_ODD_TASKS)]))

    def _beat_at_odd_epoch(self, member: StreamsMember, number: int) -> object:
        return self._group.member(member.id).at((-2, 1, 2, 3, 99, member.epoch)[number % 6])

    def _report_at_previous_epoch(self, member: StreamsMember, number: int) -> object:
        tasks = owned(member.active, member.standby) if number % 2 else owned()
        return self._group.member(member.id).at(max(member.epoch - 1, 1), **tasks)

    def _change(self, member: StreamsMember, number: int) -> object:
        changes: tuple[Mapping[str, Any], ...] = (
            {"rack_id": f"rack {number}"},
            {"client_tags": tags(("k", f"{number}"))},
            {"process_id": f"process {number % 2}"},
            {"rebalance_timeout_ms": 30_000 + number},
        )
        return member.report(**changes[number % 4])

    def _leave(self, member: StreamsMember, _: int) -> object:
        return member.leave()

    def _shut_down(self, member: StreamsMember, number: int) -> object:
        if number % 2:
            return member.leave(shutdown_application=True)
        return member.beat(shutdown_application=True)

    # ------------------------------------------------------------------------------- offsets

    def _commit(self, member: StreamsMember, number: int) -> object:
        offsets = {number % PARTITIONS: number}
        if number % 3 == 0:
            offsets[(number + 1) % PARTITIONS] = number
        epoch = member.epoch - number % 2
        topic = self._topic(number)
        sent = commit(self._group.id, topic, offsets, member=member.id, generation=epoch)
        return by_partition(self._kafka.request(sent, 9))

    def _fetch_offsets(self, member: StreamsMember, number: int) -> object:
        sent = committed(self._group.id, {self._topic(number): [0, 1, 2, 3]})
        if number % 3:
            sent.groups[0].member_id = member.id
            sent.groups[0].member_epoch = member.epoch - (number % 3 - 1)
        return self._kafka.request(sent, 9)

    def _delete_offsets(self, _: StreamsMember, number: int) -> object:
        request = delete_offsets(self._group.id, self._topic(number), number % PARTITIONS)
        return self._kafka.request(request)

    # ---------------------------------------------------------------------- the group, topics

    def _grow(self, _: StreamsMember, number: int) -> object:
        name = "stateful" if number == 0 else "stateless"
        self._counts[name] = min(self._counts[name] + 1, PARTITIONS_MAX)
        request = create_partitions(self._topics[name], self._counts[name])
        response = self._kafka.request(request)
        self._kafka.settle()
        return response.results[0].error_code

    def _replace_topic(self, member: StreamsMember, number: int) -> object:
        """Delete a topic, let a member notice it, and create it with fewer partitions."""
        topic = self._topics["stateless"]
        self._kafka.request(delete_topics(topic))
        self._kafka.settle()
        without = member.report()
        self._counts["stateless"] = 1 + number % 3
        self._kafka.request(create_topics(new_topic(topic, self._counts["stateless"])))
        self._kafka.settle()
        return without

    def _set_standbys(self, _: StreamsMember, number: int) -> object:
        self._group.set(num_standby_replicas=number % 3)
        return number % 3

    def _describe(self, _: StreamsMember, __: int) -> object:
        found = self._group.describe()
        # Kafka shows the counts of a topology after the next record of any group.
        found.topology = None
        found.members.sort(key=lambda each: each.member_id)  # not in the order of joins and leaves
        return found

    def _delete_group(self, _: StreamsMember, __: int) -> object:
        (result,) = self._kafka.request(DeleteGroupsRequest(groups_names=[self._group.id])).results
        return result

    def _topic(self, number: int) -> str:
        return self._topics["stateful" if number % 3 else "stateless"]


_ODD_TASKS: tuple[tuple[Mapping[str, tuple[int, ...]], Mapping[str, tuple[int, ...]]], ...] = (
    ({}, {}),
    ({"0": (0,)}, {}),
    ({"0": (0, 1), "1": (0,)}, {"0": (2,)}),
    ({"1": (2, 0)}, {"0": (0, 1, 2, 3)}),
    ({"0": (6,)}, {}),
    ({"7": (0,)}, {}),
)
