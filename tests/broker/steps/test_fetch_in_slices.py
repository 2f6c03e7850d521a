"""Fetches of many partitions are handled in slices; slices are counted, not timed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio.lowlevel
import trio.testing

from broker.steps.pieces import PIECE_ITEMS
from protocol.errors import ErrorCode
from protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    EntityData,
    EntryData,
    OpData,
)
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from tests.batches import batch
from tests.client import Client, RunningNode, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, produce_request
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio

PARTITIONS = 400
SLICES = PARTITIONS // (2 * PIECE_ITEMS)  # two pieces each


def _fetch(
    topic: str = "t",
    partitions: int = 0,
    *,
    session_id: int = 0,
    epoch: int = 0,
    max_wait_ms: int = 0,
    forgotten: int = 0,
) -> FetchRequest:
    named = [
        FetchPartition(partition=each, fetch_offset=0, partition_max_bytes=1 << 20)
        for each in range(partitions)
    ]
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=1,
        max_bytes=1 << 20,
        session_id=session_id,
        session_epoch=epoch,
        topics=[FetchTopic(topic=topic, partitions=named)] if named else [],
        forgotten_topics_data=[ForgottenTopic(topic=topic, partitions=list(range(forgotten)))]
        if forgotten
        else [],
    )


def _offsets(response: Any) -> dict[int, int]:
    """The high watermarks of the partitions of a response."""
    return {
        each.partition_index: each.high_watermark
        for topic in response.responses
        for each in topic.partitions
    }


@asynccontextmanager
async def _session(folder: Path) -> AsyncIterator[tuple[RunningNode, Client, int]]:
    """A client with a session of many partitions, in which it has found nothing."""
    async with running_node(folder) as node:
        node.controller.create_topic("other")
        node.controller.create_topic("t", partitions=PARTITIONS)
        client = node.client()
        opened = await client.send(_fetch(partitions=PARTITIONS), FETCH_VERSION)
        assert len(_offsets(opened)) == PARTITIONS
        yield node, client, opened.session_id


async def _changing(node: RunningNode, session_id: int) -> None:
    """Wait until a request changes the session in slices."""
    session = node.node.fetch_sessions.get(session_id)
    assert session is not None
    while not session.is_changing:
        await trio.lowlevel.checkpoint()


async def _make_active(node: RunningNode) -> None:
    """Change the metadata, after which a fetch reads all partitions of its session."""
    node.controller.delete_topic("other")
    await trio.testing.wait_all_tasks_blocked()


async def _produce(node: RunningNode, partition: int) -> None:
    data = [None] * partition + [batch(b"a")]
    await node.client().send(produce_request("t", *data), PRODUCE_VERSION)


async def test_a_full_fetch_of_unknown_partitions_is_handled_in_slices(tmp_path: Path) -> None:
    """They count like others, since the session keeps them."""
    async with running_node(tmp_path, auto_create_topics_enable="false") as node:
        before = short_slices(node.cluster.steps)

        response = await node.client().send(_fetch("unknown", PARTITIONS), FETCH_VERSION)

        assert len(_offsets(response)) == PARTITIONS
        assert node.cluster.steps.slices_run - before >= SLICES * 5


async def test_a_fetch_of_a_large_session_is_handled_in_slices(tmp_path: Path) -> None:
    """Its request names no partition, and its response has only the one that changed."""
    async with _session(tmp_path) as (node, client, session_id):
        await _produce(node, 7)
        await _make_active(node)
        before = short_slices(node.cluster.steps)

        response = await client.send(_fetch(session_id=session_id, epoch=1), FETCH_VERSION)

        assert _offsets(response) == {7: 1}
        assert node.cluster.steps.slices_run - before >= SLICES * 4


async def test_the_response_after_a_wait_is_made_in_slices(tmp_path: Path) -> None:
    """The partitions are read again, after the produce that ends the wait has its response."""
    async with _session(tmp_path) as (node, client, session_id):
        await _make_active(node)
        client.start(_fetch(session_id=session_id, epoch=1, max_wait_ms=60_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        before = short_slices(node.cluster.steps)

        await _produce(node, 7)

        assert _offsets(await client.receive()) == {7: 1}
        assert node.cluster.steps.slices_run - before >= SLICES * 2


async def test_a_session_that_changes_refuses_other_requests(tmp_path: Path) -> None:
    """Another connection uses the session between the slices; the first request is not affected."""
    async with _session(tmp_path) as (node, client, session_id):
        short_slices(node.cluster.steps)
        other = node.client()
        forgetting = _fetch(session_id=session_id, epoch=1, forgotten=PARTITIONS - 20)
        client.start(forgetting, FETCH_VERSION)
        await _changing(node, session_id)
        other.start(_fetch(session_id=session_id, epoch=1), FETCH_VERSION)

        refused, response = await other.receive(), await client.receive()

        assert refused.error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH
        assert response.error_code == 0
        session = node.node.fetch_sessions.get(session_id)
        assert session is not None
        assert len(session.partitions) == 20


async def test_a_fetch_whose_session_moved_on_between_slices_is_refused(tmp_path: Path) -> None:
    """A later request of the session is processed while the first one reads."""
    async with _session(tmp_path) as (node, client, session_id):
        client.start(_fetch(session_id=session_id, epoch=1, max_wait_ms=60_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        short_slices(node.cluster.steps)
        later = _fetch(session_id=session_id, epoch=2, forgotten=PARTITIONS - 20)
        assert (await node.client().send(later, FETCH_VERSION)).error_code == 0

        await _produce(node, 7)

        response = await client.receive()
        assert response.error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH
        assert response.responses == []


async def test_a_session_that_was_half_changed_cannot_be_used(tmp_path: Path) -> None:
    """Its client disconnects between the slices; a full fetch replaces the session."""
    async with _session(tmp_path) as (node, client, session_id):
        short_slices(node.cluster.steps)
        client.start(_fetch(session_id=session_id, epoch=1, forgotten=PARTITIONS), FETCH_VERSION)
        await _changing(node, session_id)
        client.close()
        await trio.testing.wait_all_tasks_blocked()
        other = node.client()

        refused = await other.send(_fetch(session_id=session_id, epoch=1), FETCH_VERSION)
        replaced = await other.send(
            _fetch(session_id=session_id, partitions=PARTITIONS), FETCH_VERSION
        )

        assert refused.error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH
        assert replaced.error_code == 0
        assert node.node.fetch_sessions.get(session_id) is None


async def test_a_fetch_with_a_quota_is_measured_in_slices(tmp_path: Path) -> None:
    """The bytes of the response are counted before the session is changed."""
    async with _session(tmp_path) as (node, client, session_id):
        entity = [EntityData(entity_type="client-id", entity_name=None)]
        limit = [OpData(key="consumer_byte_rate", value=1e9, remove=False)]
        await client.send(
            AlterClientQuotasRequest(
                entries=[EntryData(entity=entity, ops=limit)], validate_only=False
            )
        )
        await _produce(node, 7)
        await _make_active(node)
        before = short_slices(node.cluster.steps)

        response = await client.send(_fetch(session_id=session_id, epoch=1), FETCH_VERSION)

        assert _offsets(response) == {7: 1}
        assert node.cluster.steps.slices_run - before >= SLICES * 5


async def test_a_session_with_idle_partitions_needs_no_slices(tmp_path: Path) -> None:
    """Only the partition that changed is read."""
    async with _session(tmp_path) as (node, client, session_id):
        await _produce(node, 7)
        before = short_slices(node.cluster.steps)

        response = await client.send(_fetch(session_id=session_id, epoch=1), FETCH_VERSION)

        assert _offsets(response) == {7: 1}
        assert node.cluster.steps.slices_run == before


async def test_a_partition_that_changes_between_slices_is_read_once(tmp_path: Path) -> None:
    """The session changes in slices, in which another partition of it gets a record."""
    async with _session(tmp_path) as (node, client, session_id):
        short_slices(node.cluster.steps)
        forgetting = _fetch(session_id=session_id, epoch=1, forgotten=PARTITIONS - 20)
        client.start(forgetting, FETCH_VERSION)
        await _changing(node, session_id)

        await _produce(node, PARTITIONS - 1)

        assert list(_offsets(await client.receive())) in ([], [PARTITIONS - 1])
        again = await client.send(_fetch(session_id=session_id, epoch=2), FETCH_VERSION)
        assert _offsets(again) == {PARTITIONS - 1: 1}
