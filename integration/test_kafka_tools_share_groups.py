"""Kafka's tools for share groups, which use Java's KafkaShareConsumer, checked by their output.

``--against kafka`` runs them on a real Kafka.
"""

from __future__ import annotations

from collections.abc import Callable

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


@pytest.fixture
def share_group(tool: Tool, group: str) -> str:
    """A share group that begins with the first record of a topic."""
    tool(
        *("ConfigCommand", "--alter", "--entity-type", "groups", "--entity-name", group),
        *("--add-config", "share.auto.offset.reset=earliest"),
    )
    return group


def _rows(printed: str) -> list[list[str]]:
    return [line.split() for line in printed.splitlines()]


def test_a_share_consumer_gets_and_accepts_records(
    tool: Tool, topic: str, share_group: str
) -> None:
    """ConsoleShareConsumer prints each record; another one gets the records after these."""
    consume = ("ConsoleShareConsumer", "--topic", topic, "--group", share_group)
    tool("ConsoleProducer", "--topic", topic, fed="one\ntwo\n")
    first = tool(*consume, "--max-messages", "2")
    tool("ConsoleProducer", "--topic", topic, fed="three\n")

    second = tool(*consume, "--max-messages", "1")

    assert (first, second) == ("one\ntwo\n", "three\n")


def test_released_records_are_delivered_again(tool: Tool, topic: str, share_group: str) -> None:
    """A share consumer that releases what it gets leaves the records to others."""
    consume = ("ConsoleShareConsumer", "--topic", topic, "--group", share_group)
    tool("ConsoleProducer", "--topic", topic, fed="one\n")

    first = tool(*consume, "--release", "--max-messages", "1")
    second = tool(*consume, "--max-messages", "1")

    assert (first, second) == ("one\n", "one\n")


def test_a_share_group_is_listed_described_reset_and_deleted(
    tool: Tool, topic: str, share_group: str
) -> None:
    """ShareGroupCommand lists, describes, resets and deletes."""
    command, named = "ShareGroupCommand", ("--group", share_group)
    tool("ConsoleProducer", "--topic", topic, fed=TWENTY_LINES)
    tool("ConsoleShareConsumer", "--topic", topic, *named, "--max-messages", "20")

    listed = tool(command, "--list", "--state")
    described = tool(command, "--describe", *named, "--offsets")
    reset = tool(command, "--reset-offsets", *named, "--topic", topic, "--to-earliest", "--execute")
    after = tool(command, "--describe", *named, "--offsets")
    offsets_gone = tool(command, "--delete-offsets", *named, "--topic", topic)
    deleted = tool(command, "--delete", *named)

    assert [share_group, "Empty"] in _rows(listed)
    ((*_, lag),) = [row for row in _rows(described) if row[:2] == [share_group, topic]]
    assert lag == "0"
    assert [share_group, topic, "0", "0"] in _rows(reset)
    assert [share_group, topic, "0", "0", "20"] in _rows(after)
    assert [topic, "Successful"] in _rows(offsets_gone)
    assert f"Deletion of requested share groups ('{share_group}') was successful." in deleted
    assert share_group not in tool(command, "--list")
