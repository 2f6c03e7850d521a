"""Checks of a whole request, and its error response."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.api.handlers.request_checks import check_isolation_level, check_time_left
from broker.common.errors import ApiError
from protocol.errors import ErrorCode
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from protocol.schema import ZERO_UUID
from tests.client import running_node
from tests.requests import fetch_request

pytestmark = pytest.mark.anyio


def test_there_are_two_isolation_levels() -> None:
    """Any other level is an error."""
    for level in (0, 1):
        check_isolation_level(level)
    for level in (-1, 2, -128, 127):
        with pytest.raises(ApiError):
            check_isolation_level(level)


def test_a_change_needs_a_positive_timeout() -> None:
    """A timeout of 0 has expired when the controller checks it."""
    check_time_left(1)
    for timeout_ms in (0, -1, -(2**31)):
        with pytest.raises(ApiError):
            check_time_left(timeout_ms)


@pytest.mark.parametrize("timeout_ms", [0, -1])
async def test_a_topic_is_not_created_without_time(tmp_path: Path, timeout_ms: int) -> None:
    """REQUEST_TIMED_OUT for each topic, valid or not."""
    async with running_node(tmp_path) as node:
        topics = [
            CreatableTopic(
                name=name, num_partitions=1, replication_factor=1, assignments=[], configs=[]
            )
            for name in ("t", "no good")
        ]
        response = await node.client().send(
            CreateTopicsRequest(topics=topics, timeout_ms=timeout_ms)
        )

        assert {each.error_code for each in response.topics} == {ErrorCode.REQUEST_TIMED_OUT}
        assert node.node.image.topic("t") is None


async def test_an_unknown_isolation_level_fails_the_request(tmp_path: Path) -> None:
    """UNKNOWN_SERVER_ERROR in a fetch, and for each partition of ListOffsets."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=1)
        fetch: Any = fetch_request("t", 0)
        fetch.isolation_level = 7
        fetched = await node.client().send(fetch, 12)
        requested = ListOffsetsPartition(partition_index=0, timestamp=-1)
        offsets = await node.client().send(
            ListOffsetsRequest(
                replica_id=-1,
                isolation_level=7,
                topics=[ListOffsetsTopic(name="t", partitions=[requested])],
            ),
            5,
        )

        assert fetched.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
        [found] = offsets.topics[0].partitions
        assert found.error_code == ErrorCode.UNKNOWN_SERVER_ERROR


async def test_an_isolation_level_is_checked_when_a_partition_is_read(tmp_path: Path) -> None:
    """As in Kafka: an unknown partition has its own error, and a session is looked up before."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=1)
        unknown: Any = fetch_request("u", 0)
        without_session: Any = fetch_request("t", 0)
        without_session.session_id, without_session.session_epoch = 99, 5
        empty: Any = fetch_request("t", 0)
        empty.topics = []
        for each in (unknown, without_session, empty):
            each.isolation_level = 7
        client = node.client()
        responses = [await client.send(each, 12) for each in (unknown, without_session, empty)]

        [topic] = responses[0].responses
        assert topic.partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert [each.error_code for each in responses] == [
            ErrorCode.NONE,
            ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
            ErrorCode.NONE,
        ]


async def test_a_fetch_by_the_zero_id_has_no_topic(tmp_path: Path) -> None:
    """From v13 on it is an id like any other."""
    async with running_node(tmp_path) as node:
        request = fetch_request("t", 0)
        request.topics[0].topic_id = ZERO_UUID

        response = await node.client().send(request, 13)

        [partition] = response.responses[0].partitions
        assert partition.error_code == ErrorCode.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize("epoch", [-1, -2, -(2**31)])
async def test_a_negative_leader_epoch_of_a_fetch_means_none(tmp_path: Path, epoch: int) -> None:
    """Not only -1."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=1)
        request = fetch_request("t", 0)
        request.topics[0].partitions[0].current_leader_epoch = epoch

        response = await node.client().send(request, 12)

        [partition] = response.responses[0].partitions
        assert partition.error_code == ErrorCode.NONE
