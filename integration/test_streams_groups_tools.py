"""What Kafka's tools print about streams groups; ``--against kafka`` runs them on a real Kafka.

The expected text is that of Kafka, without the values that differ from run to run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from antechamber import Cluster
from integration.kafka.java_program import Command
from integration.kafka.real_kafka import RealKafka
from integration.kafka.tools import KafkaTools
from integration.machine.deadlines import eventually
from integration.streams.applications import Application

pytestmark = pytest.mark.jvm

Tool = Callable[..., str]

TOOL = "StreamsGroupCommand"
_MEMBER = re.compile(r"(?<= )[\w-]{22}(?= )")
_PROCESS = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


@pytest.fixture(scope="module")
def tool(tools: KafkaTools, streams_broker: Cluster | RealKafka) -> Tool:
    """A function that runs a tool on the broker and returns its output."""
    there = ("--bootstrap-server", streams_broker.bootstrap)
    return lambda name, *arguments: tools.run(name, *there, *arguments)


@pytest.fixture(scope="module")
def make(
    streams_run: Command,
    streams_broker: Cluster | RealKafka,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str], Application]]:
    """A function that makes an application without topics, which ends with the last test."""
    made = []

    def make(name: str) -> Application:
        folder = tmp_path_factory.mktemp(name)
        made.append(Application(streams_run, streams_broker.bootstrap, name, folder))
        return made[-1]

    yield make
    for application in made:
        application.close_all()


@pytest.fixture(scope="module")
def live(make: Callable[[str], Application]) -> Application:
    """An application of two instances that has read six words, with standby tasks."""
    live = make("live")
    live.create_topics()
    live.write("a b c a b c")
    live.configure(num_standby_replicas=1)
    for instance, tasks in (("one", 4), ("two", 2)):
        live.start(instance, settings={"client.id": instance})
        live.wait_for_tasks(instance, tasks)
    for instance in ("one", "two"):
        eventually(
            lambda instance=instance: live.tasks(instance).standby,  # type: ignore[misc]  # bound
            f"standby tasks of {instance}",
        )
    live.counts()
    return live


@pytest.fixture(scope="module")
def missing(make: Callable[[str], Application]) -> Application:
    """An application whose topic does not exist, with one instance that waits for it."""
    missing = make("missing")
    missing.configure(heartbeat_interval_ms=10_000)
    missing.start("one", settings={"client.id": "one"})
    return missing


@pytest.fixture
def idle(make: Callable[[str], Application], group: str) -> Application:
    """An application without instances that has read six words."""
    idle = make(group)
    idle.create_topics()
    idle.write("a b c a b c")
    idle.start("one")
    idle.counts()
    idle.close("one")
    return idle


def _rows(printed: str, name: str = "") -> list[str]:
    """The lines of a table in order of their text, with single spaces, and *name* as `app`."""
    if name:
        printed = printed.replace(name, "app")
    for values, replacement in (
        (re.compile(r"127\.0\.0\.1:\d+"), "ADDRESS"),
        (_PROCESS, "PROCESS"),
        (_MEMBER, "MEMBER"),
    ):
        printed = values.sub(replacement, printed)
    head, *rows = [" ".join(line.split()) for line in printed.splitlines() if line.strip()]
    return [head, *sorted(rows)]


def test_groups_are_listed(tool: Tool, live: Application, missing: Application) -> None:
    """With their states, those with a state, and among all groups."""

    def stable() -> bool:
        return _rows(tool(TOOL, "--list", "--state", "stable"))[1:] == ["live Stable"]

    eventually(stable, "the live group is stable")
    assert {"live", "missing"} <= set(tool(TOOL, "--list").split())
    assert {"live Stable", "missing NotReady"} <= set(_rows(tool(TOOL, "--list", "--state")))
    for selected in (("--group-type", "streams"), ("--streams",), ("--protocol", "streams"), ()):
        rows = _rows(tool("GroupsCommand", "--list", *selected))
        assert rows[0] == "GROUP TYPE PROTOCOL"
        assert {"live Streams streams", "missing Streams streams"} <= set(rows)
    assert "live" not in tool("ConsumerGroupCommand", "--list").split()


def test_offsets_are_described(tool: Tool, live: Application) -> None:
    """Of the source topics and the repartition topics; ``--offsets`` is the default."""
    described = (TOOL, "--describe", "--group", live.name)
    for arguments in ((), ("--offsets",)):
        assert _rows(tool(*described, *arguments)) == [
            "GROUP TOPIC PARTITION OFFSET-LAG",
            "live in-live 0 0",
            "live in-live 1 0",
            "live live-counts-repartition 0 0",
            "live live-counts-repartition 1 0",
        ]
        assert _rows(tool(*described, *arguments, "--verbose")) == [
            "GROUP TOPIC PARTITION CURRENT-OFFSET LEADER-EPOCH LOG-END-OFFSET OFFSET-LAG",
            "live in-live 0 3 0 3 0",
            "live in-live 1 3 0 3 0",
            "live live-counts-repartition 0 6 0 6 0",
            "live live-counts-repartition 1 - - 0 0",
        ]


def test_members_are_described(tool: Tool, live: Application) -> None:
    """With their tasks; ``--verbose`` adds the target assignment and the epochs."""
    described = (TOOL, "--describe", "--group", live.name, "--members")
    one, two = (_printed_tasks(live, instance) for instance in ("one", "two"))

    assert _rows(tool(*described)) == [
        "GROUP MEMBER PROCESS CLIENT-ID ASSIGNMENTS",
        f"live MEMBER PROCESS one-StreamThread-1-consumer {one}",
        f"live MEMBER PROCESS two-StreamThread-1-consumer {two}",
    ]
    head, *rows = _rows(tool(*described, "--verbose"))
    assert head == (
        "GROUP TARGET-ASSIGNMENT-EPOCH TOPOLOGY-EPOCH MEMBER MEMBER-PROTOCOL MEMBER-EPOCH PROCESS "
        "CLIENT-ID ASSIGNMENTS"
    )
    assert rows == [
        f"live 4 0 MEMBER streams 4 PROCESS {instance}-StreamThread-1-consumer {tasks} "
        + tasks.replace("ACTIVE", "TARGET-ACTIVE").replace("STANDBY", "TARGET-STANDBY")
        for instance, tasks in (("one", one), ("two", two))
    ]


def _printed_tasks(application: Application, instance: str) -> str:
    """The tasks of an instance that has one of each subtopology, as the tool prints them."""
    tasks = application.tasks(instance)
    active, standby = (
        " ".join(f"{task[0]}:[{task[2]}];" for task in sorted(each)) for each in tasks
    )
    return f"ACTIVE: {active} STANDBY: {standby}"


def test_the_state_is_described(tool: Tool, live: Application, missing: Application) -> None:
    """``--verbose`` adds the epochs."""
    for name, state, epoch, members in (
        (live.name, "Stable", 4, 2),
        (missing.name, "NotReady", 2, 1),
    ):
        described = (TOOL, "--describe", "--group", name, "--state")
        assert _rows(tool(*described)) == [
            "GROUP COORDINATOR (ID) STATE #MEMBERS",
            f"{name} ADDRESS (1) {state} {members}",
        ]
        assert _rows(tool(*described, "--verbose")) == [
            "GROUP COORDINATOR (ID) STATE GROUP-EPOCH TARGET-ASSIGNMENT-EPOCH #MEMBERS",
            f"{name} ADDRESS (1) {state} {epoch} {epoch} {members}",
        ]


def test_a_group_without_its_topics(tool: Tool, missing: Application) -> None:
    """It has no offsets, and its member has no tasks."""
    described = (TOOL, "--describe", "--group", missing.name)

    assert _rows(tool(*described)) == ["GROUP TOPIC PARTITION OFFSET-LAG"]
    assert _rows(tool(*described, "--members"))[1:] == [
        "missing MEMBER PROCESS one-StreamThread-1-consumer"
    ]


def test_an_empty_group_is_described(tool: Tool, idle: Application) -> None:
    """Only its state."""
    described = (TOOL, "--describe", "--group", idle.name)

    assert _rows(tool(*described, "--state", "--verbose"), idle.name) == [
        "Error: Streams group 'app' has no active members.",
        "GROUP COORDINATOR (ID) STATE GROUP-EPOCH TARGET-ASSIGNMENT-EPOCH #MEMBERS",
        "app ADDRESS (1) Empty 4 3 0",
    ]
    for each in ("--offsets", "--members"):
        assert tool(*described, each).strip() == ""


def test_a_group_with_members_is_not_changed(tool: Tool, live: Application) -> None:
    """Its offsets are neither reset nor deleted, and neither is the group."""
    named = ("--group", live.name)

    assert _rows(tool(TOOL, "--delete", *named)) == [
        "Error: Deletion of some streams groups failed:",
        (
            "* Group 'live' could not be deleted due to: "
            "org.apache.kafka.common.errors.GroupNotEmptyException: "
            "Streams group 'live' is not EMPTY."
        ),
    ]
    refused = (
        "Error: org.apache.kafka.common.errors.GroupSubscribedToTopicException: Deleting offsets "
        "of a topic is forbidden while the consumer group is actively subscribed to it."
    )
    assert _rows(tool(TOOL, "--delete-offsets", *named, "--input-topic", live.reads))[1:] == [
        "TOPIC PARTITION STATUS",
        f"in-live 0 {refused}",
        f"in-live 1 {refused}",
    ]
    reset = ("--reset-offsets", *named, "--all-input-topics", "--to-earliest", "--execute")
    assert _rows(tool(TOOL, *reset)) == [
        (
            "Error: Assignments can only be reset if the group 'live' is inactive, but the current "
            "state is Stable."
        ),
        "GROUP TOPIC PARTITION NEW-OFFSET",
    ]


def test_offsets_are_reset(tool: Tool, idle: Application, tmp_path: Path) -> None:
    """A dry run changes nothing; an execution changes the offsets of both partitions."""
    reset = (TOOL, "--reset-offsets", "--group", idle.name)
    file = tmp_path / "offsets.csv"
    file.write_text(f"{idle.reads},0,1\n{idle.reads},1,2\n")
    in_topic = ("--input-topic", idle.reads)
    for expected, *arguments in (
        ("0 0", "--all-input-topics", "--to-earliest"),
        ("3 3", *in_topic, "--to-latest"),
        ("3 3", *in_topic, "--to-current"),
        ("2 2", *in_topic, "--shift-by", "-1"),
        ("0 0", *in_topic, "--to-datetime", "2020-01-01T00:00:00.000"),
        ("0 0", *in_topic, "--by-duration", "PT1H"),
        ("1 2", "--from-file", str(file)),
        ("2 -", "--input-topic", f"{idle.reads}:0", "--to-offset", "2"),
    ):
        assert _new_offsets(tool(*reset, *arguments, "--dry-run"), idle) == expected

    assert _new_offsets(tool(*reset, *in_topic, "--to-offset", "1", "--execute"), idle) == "1 1"
    assert _new_offsets(tool(*reset, *in_topic, "--to-current", "--dry-run"), idle) == "1 1"
    exported = tool(*reset, *in_topic, "--to-latest", "--dry-run", "--export")
    assert sorted(exported.replace('"', "").split()) == [f"{idle.reads},0,3", f"{idle.reads},1,3"]
    with pytest.raises(AssertionError, match="does not host this topic-partition"):
        tool(*reset, "--input-topic", "absent", "--to-earliest", "--dry-run")


def _new_offsets(printed: str, application: Application) -> str:
    """The new offsets of both partitions of the source topic; "-" is none."""
    head, *rows = _rows(printed)
    assert head == "GROUP TOPIC PARTITION NEW-OFFSET"
    offsets = {"0": "-", "1": "-"}
    for row in rows:
        group, topic, partition, offset = row.split()
        assert (group, topic) == (application.name, application.reads)
        offsets[partition] = offset
    return " ".join(offsets.values())


def test_an_application_reads_again_after_a_reset(tool: Tool, idle: Application) -> None:
    """The reset also deletes the internal topics; the broker creates them again."""
    reset = (TOOL, "--reset-offsets", "--group", idle.name, "--all-input-topics", "--to-earliest")
    assert _new_offsets(tool(*reset, "--execute", "--delete-all-internal-topics"), idle) == "0 0"
    assert f"{idle.name}-counts-" not in tool("TopicCommand", "--list")

    idle.start("two")

    eventually(
        lambda: idle.counts() == {word: [1, 2, 1, 2] for word in "abc"}, "the words counted again"
    )


def test_the_application_reset_tool(tool: Tool, idle: Application) -> None:
    """It commits offsets of the group and deletes the internal topics."""
    printed = tool(
        *("StreamsResetter", "--application-id", idle.name, "--input-topics", idle.reads),
        *("--to-offset", "1"),
    )

    assert f"Topic: {idle.reads} Partition: 0 Offset: 1\n" in printed
    assert f"{idle.name}-counts-" not in tool("TopicCommand", "--list")
    reset = (TOOL, "--reset-offsets", "--group", idle.name, "--all-input-topics", "--to-current")
    assert _new_offsets(tool(*reset, "--dry-run"), idle) == "1 1"


def test_offsets_and_groups_are_deleted(tool: Tool, idle: Application) -> None:
    """What does not exist is reported by name; internal topics are deleted if requested."""
    of_group = (TOOL, "--delete-offsets", "--group", idle.name)
    head = [
        f"Request succeeded for deleting offsets from group {idle.name}.",
        "TOPIC PARTITION STATUS",
    ]
    absent = (
        "absent - Error: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: "
        "This server does not host this topic-partition."
    )

    assert _rows(tool(*of_group, "--input-topic", "absent")) == [*head, absent]
    for partition, arguments in (
        (0, ("--input-topic", f"{idle.reads}:0")),
        (1, ("--all-input-topics",)),
    ):
        deleted = f"{idle.reads} {partition} Successful"
        assert _rows(tool(*of_group, *arguments)) == [*head, deleted]
    named = ("--group", idle.name, "--group", "absent")
    assert _rows(tool(TOOL, "--delete", *named, "--delete-all-internal-topics"), idle.name) == [
        "Error: Deletion of some streams groups failed:",
        (
            "* Group 'absent' could not be deleted due to: java.lang.IllegalArgumentException: "
            "Group 'absent' does not exist or is not a streams group."
        ),
        "Deletion of associated internal topics of the streams groups ('app') was successful.",
        "These streams groups were deleted successfully: 'app'.",
    ]
    assert idle.name not in tool(TOOL, "--list").split()
    assert f"{idle.name}-counts-" not in tool("TopicCommand", "--list")


def test_other_groups_are_not_streams_groups(tool: Tool, live: Application) -> None:
    """Tools for another type of group refuse them, and an absent group is an error."""
    named = ("--describe", "--group", live.name)
    for command, kind in (("ConsumerGroupCommand", "consumer"), ("ShareGroupCommand", "share")):
        assert tool(command, *named).strip() == (
            f"Error: Executing {kind} group command failed due to org.apache.kafka.common.errors."
            f"GroupIdNotFoundException: Group live is not a {kind} group."
        )
    with pytest.raises(AssertionError, match="GroupIdNotFoundException: Group absent not found"):
        tool(TOOL, "--describe", "--group", "absent")
