"""DescribeConfigs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.common.errors import INVALID_REQUEST_WORDS
from protocol.errors import ErrorCode
from protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tests.client import running_node

pytestmark = pytest.mark.anyio

TOPIC, BROKER, CLIENT_METRICS, GROUP = 2, 4, 16, 32


def _request(kind: int, name: str, keys: list[str] | None = None) -> DescribeConfigsRequest:
    return DescribeConfigsRequest(
        resources=[
            DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=keys)
        ],
        include_synonyms=True,
        include_documentation=True,
    )


def _values(response: Any) -> dict[str, str | None]:
    return {each.name: each.value for each in response.results[0].configs}


@pytest.mark.parametrize("version", range(1, 5))
async def test_a_topic(tmp_path: Path, version: int) -> None:
    """The config of the topic, with the default as a synonym."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"max.message.bytes": "2000"})
        request = _request(TOPIC, "t", ["max.message.bytes"])

        response = await node.client().send(request, version)

        (config,) = response.results[0].configs
        assert (config.name, config.value) == ("max.message.bytes", "2000")
        assert [(each.name, each.value) for each in config.synonyms] == [
            ("max.message.bytes", "2000"),
            ("message.max.bytes", "1048588"),
        ]


async def test_all_keys_of_a_topic(tmp_path: Path) -> None:
    """Null keys mean all, with documentation."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        response = await node.client().send(_request(TOPIC, "t"), 4)

        values = _values(response)
        assert values["cleanup.policy"] == "delete"
        assert values["segment.bytes"] == "1073741824"
        assert all(each.documentation for each in response.results[0].configs)


async def test_the_broker(tmp_path: Path) -> None:
    """Its own configs by its id; those that are dynamic in Kafka are not read-only."""
    async with running_node(tmp_path, num_partitions="3") as node:
        response = await node.client().send(_request(BROKER, "1"), 4)

        assert _values(response)["num.partitions"] == "3"
        read_only = {each.name: each.read_only for each in response.results[0].configs}
        assert read_only["num.partitions"]
        assert not read_only["message.max.bytes"]


async def test_the_dynamic_configs_of_all_brokers(tmp_path: Path) -> None:
    """The empty name has those only; a node's own value has priority."""
    async with running_node(tmp_path) as node:
        node.controller.alter_broker_configs("", lambda old: {**old, "log.retention.ms": "200000"})
        node.controller.alter_broker_configs("1", lambda _: {"log.retention.ms": "100000"})

        shared = await node.client().send(_request(BROKER, ""), 4)
        own = await node.client().send(_request(BROKER, "1", ["log.retention.ms"]), 4)
        node.controller.create_topic("t")
        topic = await node.client().send(_request(TOPIC, "t", ["retention.ms"]), 4)

        of_all = [(e.name, e.value, e.config_source) for e in shared.results[0].configs]
        assert of_all == [("min.insync.replicas", "1", 3), ("log.retention.ms", "200000", 3)]
        (entry,) = own.results[0].configs
        assert (entry.value, entry.config_source) == ("100000", 2)
        assert [(each.value, each.source) for each in entry.synonyms] == [
            ("100000", 2),
            ("200000", 3),
            ("168", 5),
        ]
        (entry,) = topic.results[0].configs
        assert [(each.name, each.value, each.source) for each in entry.synonyms] == [
            ("log.retention.ms", "100000", 2),
            ("log.retention.ms", "200000", 3),
            ("log.retention.hours", "168", 5),
        ]


async def test_an_unknown_key_may_be_sensitive(tmp_path: Path) -> None:
    """As in Kafka its value is not returned."""
    async with running_node(tmp_path) as node:
        node.controller.alter_broker_configs("1", lambda _: {"plugin.key": "x"})

        response = await node.client().send(_request(BROKER, "1", ["plugin.key"]), 4)

        (entry,) = response.results[0].configs
        assert (entry.value, entry.is_sensitive, entry.config_source) == (None, True, 2)


@pytest.mark.parametrize(
    ("kind", "name", "error"),
    [
        (TOPIC, "unknown", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, "a b", ErrorCode.INVALID_TOPIC_EXCEPTION),
        (BROKER, "7", ErrorCode.INVALID_REQUEST),
        (BROKER, "seven", ErrorCode.INVALID_REQUEST),
    ],
)
async def test_unknown_resources(tmp_path: Path, kind: int, name: str, error: ErrorCode) -> None:
    """Each resource has its own error."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(kind, name), 4)

        assert response.results[0].error_code == error


async def test_a_group(tmp_path: Path) -> None:
    """It need not exist, but needs a name."""
    async with running_node(tmp_path) as node:
        node.controller.alter_group_configs("g", lambda _: {"consumer.session.timeout.ms": "50000"})

        response = await node.client().send(_request(GROUP, "g"), 4)
        other = await node.client().send(_request(GROUP, "h"), 4)
        nameless = await node.client().send(_request(GROUP, ""), 4)

        assert _values(response)["consumer.session.timeout.ms"] == "50000"
        assert _values(other)["consumer.session.timeout.ms"] == "45000"
        assert nameless.results[0].error_message == "Group name must not be empty"


async def test_an_unknown_resource_type(tmp_path: Path) -> None:
    """With Kafka's message of a malformed request; without an error there is none."""
    async with running_node(tmp_path) as node:
        refused = await node.client().send(_request(99, "t"), 4)
        response = await node.client().send(_request(BROKER, "1"), 4)

        assert refused.results[0].error_code == ErrorCode.INVALID_REQUEST
        assert refused.results[0].error_message == INVALID_REQUEST_WORDS
        assert response.results[0].error_message == ""


async def test_a_node_describes_its_listeners_and_directories(tmp_path: Path) -> None:
    """Options of the command line are described as if they were in the node's properties."""
    names = ["listeners", "advertised.listeners", "node.id", "log.dirs"]
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(BROKER, "1", names), 4)

        found = {
            each.name: (each.value, each.config_source) for each in response.results[0].configs
        }
        assert found["advertised.listeners"] == ("PLAINTEXT://127.0.0.1:9092", 4)
        assert found["listeners"] == ("PLAINTEXT://127.0.0.1:9092", 4)
        assert found["node.id"] == ("1", 4)
        assert found["log.dirs"][0] == str(tmp_path / "node-1")


async def test_a_key_without_effect_is_described_like_any_other(tmp_path: Path) -> None:
    """With its type and default, and not as a secret."""
    async with running_node(tmp_path) as node:
        node.controller.alter_broker_configs("1", lambda _: {"log.cleaner.threads": "2"})

        response = await node.client().send(_request(BROKER, "1", ["log.cleaner.threads"]), 4)

        (entry,) = response.results[0].configs
        assert (entry.value, entry.is_sensitive, entry.config_type) == ("2", False, 3)
        assert [(each.value, each.source) for each in entry.synonyms] == [("2", 2), ("1", 5)]


async def test_a_subscription_of_client_metrics(tmp_path: Path) -> None:
    """Its configs, or the defaults; a name is needed."""
    async with running_node(tmp_path) as node:
        node.controller.alter_client_metrics("cm", lambda _: {"metrics": "a"})
        client = node.client()

        found = await client.send(_request(CLIENT_METRICS, "cm"), 4)
        nameless = await client.send(_request(CLIENT_METRICS, ""), 4)

        values = [(e.name, e.value, e.config_source) for e in found.results[0].configs]
        assert values == [("interval.ms", "300000", 5), ("match", "", 5), ("metrics", "a", 7)]
        assert nameless.results[0].error_code == ErrorCode.INVALID_REQUEST
