"""What Kafka's tools print about share groups; ``--against kafka`` runs them on a real Kafka.

The expected text is that of Kafka, without the values that differ from run to run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import ShareConsumer

from integration.kafka.tools import KafkaTools
from integration.machine.deadlines import eventually

pytestmark = pytest.mark.jvm

Tool = Callable[..., str]

TWENTY_LINES = "a line\n" * 20
TOOL = "ShareGroupCommand"


@pytest.fixture
def tool(tools: KafkaTools, bootstrap: str) -> Tool:
    """A function that runs a tool on the broker and returns its output."""
    there = ("--bootstrap-server", bootstrap)
    return lambda name, *arguments, **fed: tools.run(name, *there, *arguments, **fed)


@pytest.fixture
def share_group(tool: Tool, group: str) -> str:
    """A share group that begins with the first record of a topic."""
    _configure(tool, group, "--add-config", "share.auto.offset.reset=earliest")
    return group


@pytest.fixture
def read_group(tool: Tool, topic: str, share_group: str) -> str:
    """A share group without members that has accepted twenty records of one partition."""
    tool("ConsoleProducer", "--topic", topic, fed=TWENTY_LINES)
    consume = ("ConsoleShareConsumer", "--topic", topic, "--group", share_group)
    assert tool(*consume, "--max-messages", "20") == TWENTY_LINES
    return share_group


@pytest.fixture
def member(bootstrap: str, topic: str, read_group: str) -> Iterator[ShareConsumer]:
    """A member of the group, subscribed to the topic."""
    member = ShareConsumer(
        {"bootstrap.servers": bootstrap, "group.id": read_group, "client.id": "member"}
    )
    member.subscribe([topic])
    yield member
    member.close()


def _configure(tool: Tool, group: str, *arguments: str) -> str:
    return tool(
        "ConfigCommand", "--alter", "--entity-type", "groups", "--entity-name", group, *arguments
    )


def _configs(tool: Tool, group: str, *arguments: str) -> list[str]:
    """The described settings of a group, without their synonyms."""
    printed = tool(
        *("ConfigCommand", "--describe", "--entity-type", "groups", "--entity-name", group),
        *arguments,
    )
    return [line.split()[0] for line in printed.splitlines()[1:]]


def _table(printed: str, **replaced: str) -> list[list[str]]:
    """The words of each line; *replaced* are names for values that differ from run to run."""
    for name, value in replaced.items():
        printed = printed.replace(value, name)
    printed = re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", printed)
    return [line.split() for line in printed.splitlines() if line]


def _events(printed: str) -> list[dict[str, Any]]:
    """The events of a verifiable consumer, without their times."""
    said = [json.loads(line) for line in printed.splitlines()]
    return [{name: each[name] for name in each if name != "timestamp"} for each in said]


@pytest.mark.parametrize("mode", ["auto", "sync", "async"])
def test_the_verifiable_share_consumer(tool: Tool, topic: str, group: str, mode: str) -> None:
    """It reads all records, and all of them are acknowledged."""
    tool("ConsoleProducer", "--topic", topic, fed=TWENTY_LINES)
    printed = tool(
        *("VerifiableShareConsumer", "--topic", topic, "--group-id", group),
        *("--max-messages", "20", "--acknowledgement-mode", mode),
        *("--offset-reset-strategy", "earliest"),
    )

    started, reset, *between, ended = _events(printed)
    assert started == {"name": "startup_complete"}
    assert reset == {"name": "offset_reset_strategy_set", "offsetResetStrategy": "earliest"}
    assert ended == {"name": "shutdown_complete"}
    for name in ("records_consumed", "offsets_acknowledged"):
        offsets: list[int] = []
        for event in between:
            if event["name"] == name:
                assert event.get("success", True)
                (partition,) = event["partitions"]
                assert (partition["topic"], partition["partition"]) == (topic, 0)
                offsets += partition["offsets"]
        assert sorted(offsets) == list(range(20))


def test_the_console_share_consumer_prints_deliveries(
    tool: Tool, topic: str, share_group: str
) -> None:
    """``print.delivery`` has the delivery count; a rejected record is not delivered again."""
    consume = ("ConsoleShareConsumer", "--topic", topic, "--group", share_group)
    shown = ("--formatter-property", "print.delivery=true", "--max-messages", "1")
    tool("ConsoleProducer", "--topic", topic, fed="one\n")

    assert tool(*consume, *shown, "--release") == "Delivery:1\tone\n"
    assert tool(*consume, *shown, "--reject") == "Delivery:2\tone\n"
    tool("ConsoleProducer", "--topic", topic, fed="two\n")
    assert tool(*consume, *shown) == "Delivery:1\ttwo\n"


def test_offsets_are_described(tool: Tool, topic: str, read_group: str) -> None:
    """``--verbose`` adds the leader epoch; ``--offsets`` is the default."""
    described = (TOOL, "--describe", "--group", read_group)
    rows = [
        ["GROUP", "TOPIC", "PARTITION", "START-OFFSET", "LAG"],
        ["group", "topic", "0", "START", "0"],
    ]

    for arguments in ((), ("--offsets",)):
        printed = tool(*described, *arguments)
        assert _started(_table(printed, group=read_group, topic=topic)) == rows
    assert _started(_table(tool(*described, "--verbose"), group=read_group, topic=topic)) == [
        ["GROUP", "TOPIC", "PARTITION", "LEADER-EPOCH", "START-OFFSET", "LAG"],
        ["group", "topic", "0", "0", "START", "0"],
    ]


def _started(table: list[list[str]]) -> list[list[str]]:
    """A table of offsets whose start offset, which is that of the last write, is replaced."""
    return [row if row[0] == "GROUP" else [*row[:-2], "START", row[-1]] for row in table]


def test_the_state_is_described(tool: Tool, read_group: str) -> None:
    """Of an empty group; ``--verbose`` adds the epochs."""
    described = (TOOL, "--describe", "--group", read_group, "--state")

    assert _table(tool(*described), group=read_group) == [
        ["GROUP", "COORDINATOR", "(ID)", "STATE", "#MEMBERS"],
        ["group", "ADDRESS", "(1)", "Empty", "0"],
    ]
    assert _table(tool(*described, "--verbose"), group=read_group) == [
        ["GROUP", "COORDINATOR", "(ID)", "STATE", "GROUP-EPOCH", "ASSIGNMENT-EPOCH", "#MEMBERS"],
        ["group", "ADDRESS", "(1)", "Empty", "4", "3", "0"],
    ]


def test_members_are_described(
    tool: Tool, topic: str, read_group: str, member: ShareConsumer
) -> None:
    """Each with its client, its number of partitions and their names."""
    described = (TOOL, "--describe", "--group", read_group, "--members")

    def assigned() -> list[list[str]]:
        member.poll(0.1)
        rows = _table(tool(*described), group=read_group, topic=topic)
        return rows if any("topic:0" in row for row in rows) else []

    rows = eventually(assigned, "an assignment", within=60)
    assert [_without_id(row) for row in rows] == [
        ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "ASSIGNMENT"],
        ["group", "ID", "/127.0.0.1", "member", "1", "topic:0"],
    ]
    verbose = _table(tool(*described, "--verbose"), group=read_group, topic=topic)
    assert [_without_id(row) for row in verbose] == [
        ["GROUP", "CONSUMER-ID", *rows[0][2:5], "MEMBER-EPOCH", "ASSIGNMENT"],
        ["group", "ID", "/127.0.0.1", "member", "1", "5", "topic:0"],
    ]
    assert [read_group, "Stable"] in _table(tool(TOOL, "--list", "--state", "stable"))


def _without_id(row: list[str]) -> list[str]:
    return row if row[0] == "GROUP" else [row[0], "ID", *row[2:]]


def test_offsets_are_reset(tool: Tool, topic: str, read_group: str) -> None:
    """To the beginning, the end and a time; a dry run changes nothing, a new group is made."""
    in_topic = ("--topic", topic)
    resets = {
        "0": ("--to-earliest", "--dry-run"),
        "20": ("--to-latest", "--execute"),
        "00": ("--to-datetime", "2020-01-01T00:00:00.000", "--execute"),
    }
    head = ["GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"]
    for offset, arguments in resets.items():
        printed = tool(TOOL, "--reset-offsets", "--group", read_group, *in_topic, *arguments)
        reset = ["group", "topic", "0", str(int(offset))]
        assert _table(printed, group=read_group, topic=topic) == [head, reset]
    others = f"{read_group}-other"
    printed = tool(
        TOOL, "--reset-offsets", "--group", others, *in_topic, "--to-latest", "--execute"
    )
    assert _table(printed, group=others, topic=topic) == [head, ["group", "topic", "0", "20"]]
    described = tool(TOOL, "--describe", "--group", read_group)
    assert _table(described, group=read_group, topic=topic)[1] == ["group", "topic", "0", "0", "20"]


def test_offsets_and_groups_are_deleted(tool: Tool, topic: str, read_group: str) -> None:
    """What does not exist is reported by name."""
    absent = f"{topic}-absent"
    of_group = (TOOL, "--delete-offsets", "--group", read_group)

    assert _table(tool(*of_group, "--topic", absent))[1:] == [
        [absent, "Error:", "This", "server", "does", "not", "host", "this", "topic-partition."]
    ]
    assert _table(tool(*of_group, "--topic", topic)) == [["TOPIC", "STATUS"], [topic, "Successful"]]
    described = tool(TOOL, "--describe", "--group", read_group)
    assert described.strip() == f"Share group '{read_group}' has no offset information."
    printed = tool(TOOL, "--delete", "--group", read_group, "--group", absent)
    assert [line for line in printed.splitlines() if line] == [
        "Error: Deletion of some share groups failed:",
        (
            f"* Group '{absent}' could not be deleted due to: "
            f"java.lang.IllegalArgumentException: Group '{absent}' is not a share group."
        ),
        f"These share groups were deleted successfully: '{read_group}'",
    ]


def test_settings_of_groups(tool: Tool, group: str) -> None:
    """They are set, checked, described with their defaults, and removed."""
    _configure(
        *(tool, group, "--add-config"),
        "share.auto.offset.reset=earliest,share.record.lock.duration.ms=20000",
    )

    assert _configs(tool, group) == [
        "share.auto.offset.reset=earliest",
        "share.record.lock.duration.ms=20000",
    ]
    of_share_groups = [each for each in _configs(tool, group, "--all") if each.startswith("share.")]
    assert of_share_groups == [
        "share.assignment.interval.ms=1000",
        "share.auto.offset.reset=earliest",
        "share.delivery.count.limit=5",
        "share.heartbeat.interval.ms=5000",
        "share.isolation.level=read_uncommitted",
        "share.partition.max.record.locks=2000",
        "share.record.lock.duration.ms=20000",
        "share.renew.acknowledge.enable=true",
        "share.session.timeout.ms=45000",
    ]
    with pytest.raises(AssertionError, match="Value must be at least 1000"):
        _configure(tool, group, "--add-config", "share.record.lock.duration.ms=1")
    _configure(tool, group, "--delete-config", "share.record.lock.duration.ms")
    assert _configs(tool, group) == ["share.auto.offset.reset=earliest"]
