"""DeleteRecords waits until every living replica has let go of the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from tests.broker.scenarios.three_nodes import (
    deleted,
    fetched,
    pass_ms,
    produced,
    settle,
    three_nodes,
)

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
TIMED_OUT = ErrorCode.REQUEST_TIMED_OUT
FETCH_WAIT_MS = 500


async def test_healthy_followers_tell_with_their_next_fetch(tmp_path: Path) -> None:
    """Nothing wakes the poll under way, so it takes what is left of replica.fetch.wait.max.ms."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b", b"c")
        await pass_ms(100)

        answer = await nodes.delete(2)
        assert not answer.is_there
        await pass_ms(2 * FETCH_WAIT_MS)

        assert deleted(answer) == [(NONE, 2)]
        assert answer.after_ms is not None
        assert answer.after_ms <= FETCH_WAIT_MS + 2
        assert [nodes.log_of(n).log_start_offset for n in (1, 2, 3)] == [2, 2, 2]


async def test_a_paused_follower_is_waited_for(tmp_path: Path) -> None:
    """Up to one fetch after it is back."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b", b"c")
        nodes.cluster.pause(3)

        answer = await nodes.delete(2)
        await pass_ms(3000)
        assert not answer.is_there
        nodes.cluster.resume(3)
        await pass_ms(FETCH_WAIT_MS + 2)

        assert deleted(answer) == [(NONE, 2)]


async def test_a_wait_that_times_out_has_deleted_here(tmp_path: Path) -> None:
    """REQUEST_TIMED_OUT with the low watermark as it is, and each partition its own result."""
    async with three_nodes(tmp_path, partitions=2) as nodes:
        await nodes.produce(b"a", b"b", partitions=2)
        nodes.cluster.pause(3)

        answer = await nodes.delete(1, 0, 5, timeout_ms=800)
        await pass_ms(799)
        assert not answer.is_there
        await pass_ms(2)

        assert deleted(answer) == [
            (TIMED_OUT, 0),
            (NONE, 0),
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1),
        ]
        assert answer.after_ms == pytest.approx(800, abs=1.01)
        assert fetched(await nodes.fetch(0)) == [(ErrorCode.OFFSET_OUT_OF_RANGE, [])]


async def test_no_time_to_wait_is_told_at_once(tmp_path: Path) -> None:
    """Timeout 0."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        nodes.cluster.pause(3)

        answer = await nodes.delete(1, timeout_ms=0)

        assert (deleted(answer), answer.after_ms) == ([(TIMED_OUT, 0)], 0)


async def test_a_dead_follower_is_not_waited_for(tmp_path: Path) -> None:
    """Only the living count; who was waiting already hears of it with the next move."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        await pass_ms(600)
        await nodes.cluster.stop(3)

        answer = await nodes.delete(1)
        await pass_ms(FETCH_WAIT_MS + 2)

        assert deleted(answer) == [(NONE, 1)]


async def test_a_follower_that_dies_does_not_end_the_wait_but_the_next_move_does(
    tmp_path: Path,
) -> None:
    """Kafka has no event for it: it is the high watermark of a later produce that does."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        nodes.cluster.pause(3)
        answer = await nodes.delete(1)
        await pass_ms(2 * FETCH_WAIT_MS)
        await nodes.cluster.stop(3)
        await pass_ms(2 * FETCH_WAIT_MS)
        assert not answer.is_there

        assert produced(await nodes.produce(b"c")) == [(NONE, 2)]

        assert deleted(answer) == [(NONE, 1)]


async def test_fetches_are_not_woken(tmp_path: Path) -> None:
    """A reader that is overtaken finds out when it asks next, or at its time."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        reader = await nodes.fetch(1, max_wait_ms=3000, min_bytes=10_000)

        await nodes.delete(2)
        await pass_ms(2 * FETCH_WAIT_MS)
        assert not reader.is_there
        await pass_ms(2001)

        assert fetched(reader) == [(ErrorCode.OFFSET_OUT_OF_RANGE, [])]
        assert reader.after_ms == pytest.approx(3000, abs=1.01)


async def test_a_leader_that_moves_does_not_end_the_wait(tmp_path: Path) -> None:
    """It ends with its time: nothing looks at it before."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        nodes.cluster.pause(3)
        answer = await nodes.delete(1, timeout_ms=2000)

        await nodes.lead(2)
        await settle()
        assert not answer.is_there
        await pass_ms(2001)

        assert deleted(answer) == [(TIMED_OUT, 0)]
