"""Fault rules that act before a request has an effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.steps.limits import DECODED_AT_ONCE_BYTES
from protocol.errors import ErrorCode
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.batches import batch
from tests.client import running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

TIMED_OUT = {"type": "error", "error": "REQUEST_TIMED_OUT"}


async def test_an_error_before_has_no_effect(tmp_path: Path) -> None:
    """The response has the form of the API, and nothing is appended."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("orders", partitions=1)
        node.cluster.faults.add({"match": {"api": "Produce"}, "times": 1, "action": TIMED_OUT})
        client = node.client()

        for code, offset in ((ErrorCode.REQUEST_TIMED_OUT, -1), (ErrorCode.NONE, 0)):
            produced = await client.send(produce_request("orders", batch(b"a")), PRODUCE_VERSION)
            [partition] = produced.responses[0].partition_responses
            assert (partition.error_code, partition.base_offset) == (code, offset)


async def test_an_error_of_a_produce_without_acks_closes_the_connection(tmp_path: Path) -> None:
    """As in Kafka, which has no response for it."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("orders", partitions=1)
        node.cluster.faults.add({"match": {"topic": "orders"}, "action": TIMED_OUT})
        client = node.client()

        client.start(produce_request("orders", batch(b"a"), acks=0), PRODUCE_VERSION)

        assert await client.closed()


async def test_a_large_request_matches_by_its_names(tmp_path: Path) -> None:
    """It is decoded after the rules for its API are found."""
    names = [f"topic-{number}" for number in range(2000)]
    assert sum(map(len, names)) > DECODED_AT_ONCE_BYTES
    topics = [MetadataRequestTopic(name=name) for name in names]
    request = MetadataRequest(topics=topics, allow_auto_topic_creation=False)
    async with running_node(tmp_path) as node:
        match = {"api": "Metadata", "topic": names[-1]}
        node.cluster.faults.add({"match": match, "times": 1, "action": TIMED_OUT})
        client = node.client()

        for code in (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION):
            response = await client.send(request)
            assert {topic.error_code for topic in response.topics} == {code}


async def test_a_close_before_has_no_effect(tmp_path: Path) -> None:
    """The connection is closed without a response; other connections are served."""
    async with running_node(tmp_path) as node:
        node.cluster.faults.add({"times": 1, "action": {"type": "close"}})
        client = node.client()

        client.start(MetadataRequest(topics=[]))

        assert await client.closed()
        assert (await node.client().send(MetadataRequest(topics=[]))).brokers
