"""Kafka's tools that produce, consume and manage groups, checked by their output.

``--against kafka`` runs them on a real Kafka.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from integration.kafka.tools import KafkaTools

pytestmark = pytest.mark.jvm

Tool = Callable[..., str]

TWENTY_LINES = "a line\n" * 20


@pytest.fixture
def tool(tools: KafkaTools, bootstrap: str) -> Tool:
    """A function that runs a tool on the broker and returns its output."""
    there = ("--bootstrap-server", bootstrap)
    return lambda name, *arguments, **fed: tools.run(name, *there, *arguments, **fed)


def _events(printed: str, name: str) -> list[dict[str, object]]:
    """The events of a verifiable client."""
    said = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return [each for each in said if each["name"] == name]


def test_the_console_tools(tool: Tool, topic: str) -> None:
    """ConsoleProducer sends lines of keys and values, ConsoleConsumer prints them."""
    tool(
        *("ConsoleProducer", "--topic", topic, "--reader-property", "parse.key=true"),
        fed="a\tone\nb\ttwo\n",
    )
    printed = tool(
        *("ConsoleConsumer", "--topic", topic, "--from-beginning", "--max-messages", "2"),
        *("--formatter-property", "print.key=true", "--formatter-property", "print.offset=true"),
    )

    assert printed.splitlines() == ["Offset:0\ta\tone", "Offset:1\tb\ttwo"]


def test_the_verifiable_clients(
    tools: KafkaTools, tool: Tool, bootstrap: str, topic: str, group: str
) -> None:
    """VerifiableProducer gets all acknowledgements; VerifiableConsumer reads all and commits."""
    to_topic = ("--bootstrap-server", bootstrap, "--topic", topic)
    produced = tools.run_alone("VerifiableProducer", *to_topic, "--max-messages", "20")
    assert len(_events(produced, "producer_send_success")) == 20

    for protocol in ("classic", "consumer"):
        consumed = tool(
            *("VerifiableConsumer", "--topic", topic, "--group-id", f"{group}-{protocol}"),
            *("--group-protocol", protocol, "--max-messages", "20"),
        )
        assigned = _events(consumed, "partitions_assigned")[-1]  # a rebalance may assign it again
        assert assigned["partitions"] == [{"topic": topic, "partition": 0}]
        committed = _events(consumed, "offsets_committed")
        assert committed[-1]["offsets"] == [{"topic": topic, "partition": 0, "offset": 20}]


def test_a_group_continues_at_its_offset(tool: Tool, topic: str, group: str) -> None:
    """The offset was committed with its epoch, and is validated with the log's (KIP-320)."""
    consumer = ("ConsoleConsumer", "--topic", topic, "--group", group, "--from-beginning")
    tool("ConsoleProducer", "--topic", topic, fed="one\ntwo\n")

    before = tool(*consumer, "--max-messages", "1")
    after = tool(*consumer, "--max-messages", "1")

    assert (before, after) == ("one\n", "two\n")


def test_offsets_and_deleted_records(tool: Tool, topic: str, tmp_path: Path) -> None:
    """DeleteRecordsCommand moves the log start offset, GetOffsetShell prints both ends."""
    tool("ConsoleProducer", "--topic", topic, fed=TWENTY_LINES)
    records = tmp_path / "records.json"
    partition = {"topic": topic, "partition": 0, "offset": 15}
    records.write_text(json.dumps({"version": 1, "partitions": [partition]}))

    deleted = tool("DeleteRecordsCommand", "--offset-json-file", str(records))

    assert f"partition: {topic}-0\tlow_watermark: 15" in deleted
    earliest = tool("GetOffsetShell", "--topic", topic, "--time", "earliest")
    latest = tool("GetOffsetShell", "--topic", topic, "--time", "latest")
    assert (earliest.strip(), latest.strip()) == (f"{topic}:0:15", f"{topic}:0:20")


def test_a_group_is_listed_described_reset_and_deleted(tool: Tool, topic: str, group: str) -> None:
    """ConsumerGroupCommand lists, describes, resets and deletes."""
    groups = "ConsumerGroupCommand"
    named = ("--group", group)
    tool("ConsoleProducer", "--topic", topic, fed=TWENTY_LINES)
    tool("VerifiableConsumer", "--topic", topic, "--group-id", group, "--max-messages", "20")

    listed = tool(groups, "--list", "--state")
    described = tool(groups, "--describe", *named)
    state = tool(groups, "--describe", *named, "--state")
    reset = tool(
        groups, "--reset-offsets", *named, "--topic", topic, "--to-offset", "5", "--execute"
    )
    after = tool(groups, "--describe", *named)
    offsets_gone = tool(groups, "--delete-offsets", *named, "--topic", topic)
    deleted = tool(groups, "--delete", *named)

    assert [group, "Empty"] in [line.split() for line in listed.splitlines()]
    assert [group, topic, "0", "20", "20", "0", "-", "-", "-"] in _rows(described)
    assert "Empty" in state
    assert [group, topic, "0", "5"] in _rows(reset)
    assert [group, topic, "0", "5", "20", "15", "-", "-", "-"] in _rows(after)
    assert [topic, "0", "Successful"] in _rows(offsets_gone)
    assert f"Deletion of requested consumer groups ('{group}') was successful." in deleted
    assert group not in tool(groups, "--list")


def _rows(printed: str) -> list[list[str]]:
    return [line.split() for line in printed.splitlines()]
