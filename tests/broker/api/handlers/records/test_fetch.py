"""Fetch, compared with a running Kafka."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.common.timer import TICK_MS
from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition, FetchTopic, ForgottenTopic
from protocol.record_batch.header import CRC_START
from tests.batches import batch
from tests.client import Client, RunningNode, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio


async def _produce(client: Client, *partitions: bytes | None, topic: str = "t") -> None:
    response = await client.send(produce_request(topic, *partitions), PRODUCE_VERSION)
    assert all(each.error_code == 0 for t in response.responses for each in t.partition_responses)


def _sizes(response: Any) -> dict[int, int]:
    return {
        each.partition_index: len(each.records)
        for topic in response.responses
        for each in topic.partitions
    }


async def _timed(client: Client, request: Any, version: int = FETCH_VERSION) -> tuple[Any, float]:
    started = trio.current_time()
    response = await client.send(request, version)
    return response, round((trio.current_time() - started) * 1000, 3)


def _with_topic(node: RunningNode, partitions: int = 1) -> Client:
    node.controller.create_topic("t", partitions=partitions)
    return node.client()


@pytest.mark.parametrize("version", range(4, 13))
async def test_available_records_are_returned_at_once(tmp_path: Path, version: int) -> None:
    """Enough bytes: no wait, the stored bytes, and the offsets of the log."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)
        await _produce(client, batch(b"a"))

        response, waited_ms = await _timed(client, fetch_request("t", 0, max_wait_ms=500), version)

        (data,) = response.responses[0].partitions
        assert bytes(data.records)[CRC_START:] == batch(b"a")[CRC_START:]
        assert (data.high_watermark, data.last_stable_offset) == (1, 1)
        assert waited_ms == 0


async def test_an_empty_partition_waits_for_max_wait_ms(tmp_path: Path) -> None:
    """The response is empty, without an error, not early, and late by less than a tick."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)

        response, waited_ms = await _timed(client, fetch_request("t", 0, max_wait_ms=500))

        (data,) = response.responses[0].partitions
        assert (data.error_code, len(data.records), data.high_watermark) == (0, 0, 0)
        assert 500 <= waited_ms < 500 + TICK_MS + 0.01


@pytest.mark.parametrize(("max_wait_ms", "min_bytes"), [(0, 1), (-1, 1), (500, 0), (500, -1)])
async def test_without_max_wait_or_min_bytes_the_response_is_sent_at_once(
    tmp_path: Path, max_wait_ms: int, min_bytes: int
) -> None:
    """Either of them is 0."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)
        request = fetch_request("t", 0, max_wait_ms=max_wait_ms, min_bytes=min_bytes)

        response, waited_ms = await _timed(client, request)

        assert _sizes(response) == {0: 0}
        assert waited_ms == 0


async def test_a_fetch_without_partitions_does_not_wait(tmp_path: Path) -> None:
    """No event could complete it."""
    async with running_node(tmp_path) as node:
        request = fetch_request("t", max_wait_ms=500)
        request.topics = []

        response, waited_ms = await _timed(node.client(), request)

        assert (response.responses, waited_ms) == ([], 0)


@pytest.mark.parametrize("acks", [0, 1, -1])
async def test_a_produce_completes_a_waiting_fetch(tmp_path: Path, acks: int) -> None:
    """The response is sent when the records are appended, not at the timeout."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)
        started = trio.current_time()
        client.start(fetch_request("t", 0, max_wait_ms=2**31 - 1), FETCH_VERSION)
        await trio.sleep(0.2)
        node.client().start(produce_request("t", batch(b"a"), acks=acks), PRODUCE_VERSION)

        response = await client.receive()

        assert _sizes(response)[0] > 0
        assert trio.current_time() - started == pytest.approx(0.2)


async def test_it_waits_for_min_bytes(tmp_path: Path) -> None:
    """One batch is not enough, two are, and both are in the response."""
    async with running_node(tmp_path) as node:
        client, producer = _with_topic(node), node.client()
        size = len(batch(b"a"))
        client.start(fetch_request("t", 0, max_wait_ms=10_000, min_bytes=2 * size), FETCH_VERSION)

        await _produce(producer, batch(b"a"))
        await trio.testing.wait_all_tasks_blocked()
        assert client.nothing_arrived()
        await _produce(producer, batch(b"b"))

        assert _sizes(await client.receive()) == {0: 2 * size}


async def test_a_fetch_that_times_out_returns_the_available_records(tmp_path: Path) -> None:
    """At the timeout one byte is missing."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)
        await _produce(client, batch(b"a"))
        size = len(batch(b"a"))

        response, waited_ms = await _timed(
            client, fetch_request("t", 0, max_wait_ms=300, min_bytes=size + 1)
        )

        assert _sizes(response) == {0: size}
        assert 300 <= waited_ms < 302


async def test_bytes_of_all_partitions_count_together(tmp_path: Path) -> None:
    """min_bytes applies to the response, not to a partition."""
    async with running_node(tmp_path) as node:
        client, producer = _with_topic(node, 2), node.client()
        size = len(batch(b"a"))
        request = fetch_request("t", 0, 0, max_wait_ms=10_000, min_bytes=2 * size)
        client.start(request, FETCH_VERSION)

        await _produce(producer, batch(b"a"), batch(b"a"))

        assert _sizes(await client.receive()) == {0: size, 1: size}


async def test_an_unknown_partition_does_not_end_the_wait_of_a_known_one(tmp_path: Path) -> None:
    """Its error is in the response; alone it does not wait."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)

        both, waited_ms = await _timed(client, fetch_request("t", 0, 0, max_wait_ms=300))
        request = fetch_request("nowhere", 0, max_wait_ms=300)
        alone, alone_waited_ms = await _timed(client, request)

        errors = {each.partition_index: each.error_code for each in both.responses[0].partitions}
        assert errors == {0: 0, 1: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        assert waited_ms >= 300
        error = alone.responses[0].partitions[0].error_code
        assert (error, alone_waited_ms) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 0)


@pytest.mark.parametrize("offset", [2, -1, 2**62])
async def test_an_offset_outside_the_log_is_an_error_at_once(tmp_path: Path, offset: int) -> None:
    """The invalid partition has error 1 and no offsets; the valid one has its records."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node, 2)
        await _produce(client, batch(b"a"), batch(b"a"))

        response, waited_ms = await _timed(
            client, fetch_request("t", offset, 0, max_wait_ms=500, min_bytes=10_000)
        )

        bad, good = response.responses[0].partitions
        assert bad.error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        assert (bad.high_watermark, bad.last_stable_offset, bad.log_start_offset) == (-1, -1, -1)
        assert len(good.records) > 0
        assert waited_ms == 0


async def test_the_first_batch_is_whole_whatever_the_limits(tmp_path: Path) -> None:
    """A consumer always makes progress; later batches above the limits are omitted (KIP-74)."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node, 2)
        await _produce(client, batch(b"a"), batch(b"a"))
        await _produce(client, batch(b"b"), batch(b"b"))
        size = len(batch(b"a"))

        async def sizes(**limits: int) -> dict[int, int]:
            response = await client.send(fetch_request("t", 0, 0, **limits), FETCH_VERSION)
            return _sizes(response)

        assert await sizes(max_bytes=1) == {0: size, 1: 0}
        assert await sizes(max_bytes=0) == {0: size, 1: 0}
        assert await sizes(partition_max_bytes=1) == {0: size, 1: 0}
        assert await sizes(partition_max_bytes=size + 10) == {0: size + 10, 1: size + 10}


async def test_a_deleted_topic_ends_the_wait(tmp_path: Path) -> None:
    """The response is sent at once: the deleted partition has an error, the other its records."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)
        node.controller.create_topic("other")
        await _produce(client, batch(b"a"), topic="other")
        request = fetch_request("t", 0, max_wait_ms=10_000, min_bytes=10_000)
        request.topics += fetch_request("other", 0).topics
        client.start(request, FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        node.controller.delete_topic("t")

        deleted, other = (await client.receive()).responses
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert deleted.partitions[0].error_code == unknown
        assert len(other.partitions[0].records) > 0


@pytest.mark.parametrize(
    ("epoch", "error"),
    [(0, ErrorCode.NONE), (-1, ErrorCode.NONE), (1, ErrorCode.UNKNOWN_LEADER_EPOCH)],
)
async def test_leader_epochs_are_checked(tmp_path: Path, epoch: int, error: ErrorCode) -> None:
    """A client that knows a newer epoch than this node must retry (KIP-320)."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)
        request = fetch_request("t", 0)
        request.topics[0].partitions[0].current_leader_epoch = epoch

        response = await client.send(request, FETCH_VERSION)

        assert response.responses[0].partitions[0].error_code == error


async def test_topics_are_named_by_id_from_v13(tmp_path: Path) -> None:
    """An unknown id has an error of its own (KIP-516)."""
    async with running_node(tmp_path) as node:
        topic = node.controller.create_topic("t")
        client = node.client()
        await _produce(client, batch(b"a"))
        request = fetch_request("t", 0)
        partitions = request.topics[0].partitions
        request.topics = [FetchTopic(topic_id=topic.topic_id, partitions=partitions)]

        found = await client.send(request, 16)
        node.controller.delete_topic("t")
        gone = await client.send(request, 16)

        assert found.responses[0].topic_id == topic.topic_id
        assert _sizes(found)[0] > 0
        assert gone.responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


async def test_a_session_waits_for_and_returns_changes_only(tmp_path: Path) -> None:
    """An incremental fetch waits for the session's partitions, and returns those that changed."""
    async with running_node(tmp_path) as node:
        client, producer = _with_topic(node, 2), node.client()
        opening = fetch_request("t", 0, 0)
        opening.session_id, opening.session_epoch = 0, 0
        opened = await client.send(opening, FETCH_VERSION)
        following = fetch_request("t", max_wait_ms=300)
        following.topics = []
        following.session_id, following.session_epoch = opened.session_id, 1

        quiet, waited_ms = await _timed(client, following)
        following.session_epoch = 2
        following.max_wait_ms = 10_000
        client.start(following, FETCH_VERSION)
        await _produce(producer, batch(b"a"))
        response = await client.receive()

        assert (quiet.session_id, quiet.responses) == (opened.session_id, [])
        assert waited_ms >= 300
        assert list(_sizes(response)) == [0]


async def test_a_forgotten_partition_does_not_complete_a_fetch(tmp_path: Path) -> None:
    """Partitions that were removed from a session do not end its wait."""
    async with running_node(tmp_path) as node:
        client, producer = _with_topic(node, 2), node.client()
        opening = fetch_request("t", 0, 0)
        opening.session_epoch = 0
        opened = await client.send(opening, FETCH_VERSION)
        following = fetch_request("t", max_wait_ms=300)
        following.topics = []
        following.session_id, following.session_epoch = opened.session_id, 1
        following.forgotten_topics_data = [ForgottenTopic(topic="t", partitions=[0])]
        client.start(following, FETCH_VERSION)

        await _produce(producer, batch(b"a"))
        await trio.testing.wait_all_tasks_blocked()

        assert client.nothing_arrived()


async def test_a_session_error_is_at_the_top(tmp_path: Path) -> None:
    """It has no partitions, and is sent at once."""
    async with running_node(tmp_path) as node:
        request = fetch_request("t", 0, max_wait_ms=500)
        request.session_id, request.session_epoch = 4711, 1

        response, waited_ms = await _timed(node.client(), request)

        assert response.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
        assert (response.session_id, response.responses, waited_ms) == (0, [], 0)


async def test_read_committed_has_a_list_of_aborted_transactions(tmp_path: Path) -> None:
    """With READ_COMMITTED the list is empty instead of null."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)
        request = fetch_request("t", 0)

        plain = await client.send(request, FETCH_VERSION)
        request.isolation_level = 1
        committed = await client.send(request, FETCH_VERSION)

        assert plain.responses[0].partitions[0].aborted_transactions is None
        assert committed.responses[0].partitions[0].aborted_transactions == []


async def test_one_produce_completes_sixty_waiting_fetches(tmp_path: Path) -> None:
    """Every fetch that waits for the partition is completed."""
    async with running_node(tmp_path) as node:
        _with_topic(node)
        clients = [node.client() for _ in range(60)]
        for client in clients:
            client.start(fetch_request("t", 0, max_wait_ms=60_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        await _produce(node.client(), batch(b"a"))

        for client in clients:
            assert _sizes(await client.receive())[0] > 0
        assert node.node.replication.purgatories.fetch.num_delayed() == 0


async def test_a_diverging_epoch_is_returned(tmp_path: Path) -> None:
    """A client whose last epoch ended elsewhere gets its end offset, and no records (KIP-595)."""
    async with running_node(tmp_path) as node:
        client = _with_topic(node)
        await _produce(client, batch(b"a"))
        request = fetch_request("t")
        request.topics[0].partitions = [
            FetchPartition(
                partition=0, fetch_offset=1, last_fetched_epoch=0, partition_max_bytes=1000
            )
        ]

        same = await client.send(request, FETCH_VERSION)
        request.topics[0].partitions[0].last_fetched_epoch = 5
        unknown = await client.send(request, FETCH_VERSION)
        request.topics[0].partitions[0].fetch_offset = 0
        request.topics[0].partitions[0].last_fetched_epoch = -2
        without = await client.send(request, FETCH_VERSION)

        assert same.responses[0].partitions[0].diverging_epoch is None
        error = unknown.responses[0].partitions[0].error_code
        assert error == ErrorCode.OFFSET_OUT_OF_RANGE
        assert without.responses[0].partitions[0].diverging_epoch is None
        assert _sizes(without)[0] > 0
