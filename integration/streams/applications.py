"""Instances of Kafka Streams applications, which run in one JVM for all tests of a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from integration.clients.group_configs import set_group_configs
from integration.kafka.java_program import Command, java_command
from integration.machine.deadlines import eventually
from integration.machine.requirements import need
from integration.programs.java_programs import streams_jars
from integration.programs.program import Unavailable
from integration.streams.counts import committed_counts

_SOURCE = Path(__file__).parents[1] / "java" / "StreamsApplications.java"
_WITHIN_SECONDS = 60

# With these settings of a broker, an application starts at once and notices changes soon, a session
# timeout may be short, and transactions that have timed out are aborted soon.
QUICK_GROUPS = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
    "group.streams.min.heartbeat.interval.ms": "100",
    "group.streams.heartbeat.interval.ms": "200",
    "group.streams.min.session.timeout.ms": "1000",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200",
}


class Tasks(NamedTuple):
    """The tasks of an instance: names such as `0_1`, of a subtopology and a partition."""

    active: frozenset[str]
    standby: frozenset[str] = frozenset()


def compiled_program(classes: Path) -> list[str]:
    """Compile the program that runs instances, given an address; skips the test without its jars.

    `commands` starts it, for all tests of a file.
    """
    try:
        jars = streams_jars()
    except Unavailable as reason:
        need("jvm", str(reason))
        raise
    return java_command(_SOURCE, "StreamsApplications", classes, jars)


class Application:
    """The instances of one application, which reads the topic *reads* and writes *writes*.

    Its name is its application id and the id of its group. *folder* is for state directories.
    """

    def __init__(self, run: Command, bootstrap: str, name: str, folder: Path) -> None:
        self.name = name
        self.reads = f"in-{name}"
        self.writes = f"out-{name}"
        self.partitions = 2
        self._run = run
        self._bootstrap = bootstrap
        self._folder = folder
        self._admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        self._producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0, "log_level": 0})
        self._written = 0
        self._open: list[str] = []

    def create_topics(self) -> None:
        """Create the two topics."""
        for name in (self.reads, self.writes):
            self.create_topic(name, self.partitions)

    def create_topic(self, name: str, partitions: int) -> None:
        """Create another topic."""
        [created] = self._admin.create_topics([NewTopic(name, num_partitions=partitions)]).values()
        created.result(_WITHIN_SECONDS)

    def configure(self, **configs: str | int) -> None:
        """Set ``streams.*`` configurations of the group; write `_` for `.`."""
        given = {f"streams.{name.replace('_', '.')}": value for name, value in configs.items()}
        set_group_configs(self._bootstrap, self.name, given)

    def write(self, words: str) -> None:
        """Write words to the partitions of the topic in turn, and wait until they are stored."""
        for word in words.split():
            self._producer.produce(self.reads, word, partition=self._written % self.partitions)
            self._written += 1
        assert self._producer.flush(_WITHIN_SECONDS) == 0

    def start(
        self,
        instance: str,
        topology: str = "count",
        *,
        reads: str = "",
        settings: Mapping[str, str | int] | None = None,
    ) -> None:
        """Start an instance."""
        assert self.refusal(instance, topology, reads=reads, settings=settings) == "ok"
        self._open.append(instance)

    def refusal(
        self,
        instance: str,
        topology: str = "count",
        *,
        reads: str = "",
        settings: Mapping[str, str | int] | None = None,
    ) -> str:
        """Start an instance that may be refused; returns its exception, or `ok`."""
        given = {
            "application.id": self.name,
            "state.dir": self._folder / instance,
            **(settings or {}),
        }
        words = " ".join(f"{key}={value}" for key, value in given.items())
        return self(f"start {instance} {topology} {reads or self.reads} {self.writes} {words}")

    def __call__(self, words: str) -> str:
        """Run a command of an instance, and return its result."""
        command, instance, *rest = words.split(" ")
        return self._run(" ".join([command, f"{self.name}/{instance}", *rest]))

    def tasks(self, instance: str) -> Tasks:
        """The tasks of an instance."""
        active, _, standby = self(f"tasks {instance}").partition("|")
        return Tasks(frozenset(active.split()), frozenset(standby.split()))

    def wait_for_tasks(self, instance: str, count: int) -> frozenset[str]:
        """Wait until an instance has so many active tasks; returns them."""
        eventually(
            lambda: len(self.tasks(instance).active) == count, f"{count} tasks of {instance}"
        )
        return self.tasks(instance).active

    def wait_for_state(self, instance: str, state: str) -> None:
        """Wait until an instance has a state."""
        eventually(lambda: self(f"state {instance}") == state, f"{instance} is {state}")

    def wait_for_failure(self, instance: str) -> str:
        """Wait until an exception ends a thread of an instance; returns it."""

        def failure() -> str | None:
            found = self(f"failure {instance}")
            return None if found == "none" else found

        return eventually(failure, f"{instance} fails") or ""

    def counts(self) -> Mapping[str, list[int]]:
        """Wait until there is a count for each word written so far; returns the counts."""
        return committed_counts(self._bootstrap, self.writes, self.partitions, self._written)

    def close(self, instance: str, operation: str = "LEAVE_GROUP") -> None:
        """Close an instance, which leaves its group or not."""
        self._open.remove(instance)
        assert self(f"close {instance} {operation}") == "ok"

    def close_all(self) -> None:
        """Close all instances."""
        for instance in self._open:
            self(f"close {instance}")
