"""DeleteRecords waits until every live replica has deleted the records."""

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


async def test_healthy_followers_confirm_with_their_next_fetch(tmp_path: Path) -> None:
    """The deletion does not complete the fetch in progress, so it lasts as long as that."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b", b"c")
        await pass_ms(100)

        pending = await nodes.delete(2)
        assert not pending.has_arrived
        await pass_ms(2 * FETCH_WAIT_MS)

        assert deleted(pending) == [(NONE, 2)]
        assert pending.after_ms is not None
        assert pending.after_ms <= FETCH_WAIT_MS + 2
        assert [nodes.log_of(n).log_start_offset for n in (1, 2, 3)] == [2, 2, 2]


async def test_a_paused_follower_delays_the_response(tmp_path: Path) -> None:
    """Until its first fetch after it is resumed."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b", b"c")
        nodes.cluster.pause(3)

        pending = await nodes.delete(2)
        await pass_ms(3000)
        assert not pending.has_arrived
        nodes.cluster.resume(3)
        await pass_ms(FETCH_WAIT_MS + 2)

        assert deleted(pending) == [(NONE, 2)]


async def test_a_wait_that_times_out_keeps_the_leaders_deletion(tmp_path: Path) -> None:
    """REQUEST_TIMED_OUT with the present low watermark; each partition has its own result."""
    async with three_nodes(tmp_path, partitions=2) as nodes:
        await nodes.produce(b"a", b"b", partitions=2)
        nodes.cluster.pause(3)

        pending = await nodes.delete(1, 0, 5, timeout_ms=800)
        await pass_ms(799)
        assert not pending.has_arrived
        await pass_ms(2)

        assert deleted(pending) == [
            (TIMED_OUT, 0),
            (NONE, 0),
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1),
        ]
        assert pending.after_ms == pytest.approx(800, abs=1.01)
        assert fetched(await nodes.fetch(0)) == [(ErrorCode.OFFSET_OUT_OF_RANGE, [])]


async def test_a_timeout_of_zero_expires_at_once(tmp_path: Path) -> None:
    """With REQUEST_TIMED_OUT."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        nodes.cluster.pause(3)

        pending = await nodes.delete(1, timeout_ms=0)

        assert (deleted(pending), pending.after_ms) == ([(TIMED_OUT, 0)], 0)


async def test_a_crashed_follower_does_not_delay_the_response(tmp_path: Path) -> None:
    """Only live replicas count, for requests that wait already from the next high watermark on."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        await pass_ms(600)
        await nodes.cluster.stop(3)

        pending = await nodes.delete(1)
        await pass_ms(FETCH_WAIT_MS + 2)

        assert deleted(pending) == [(NONE, 1)]


async def test_a_crash_does_not_end_the_wait_but_the_next_high_watermark_does(
    tmp_path: Path,
) -> None:
    """As in Kafka; the high watermark of a later produce completes the request."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        nodes.cluster.pause(3)
        pending = await nodes.delete(1)
        await pass_ms(2 * FETCH_WAIT_MS)
        await nodes.cluster.stop(3)
        await pass_ms(2 * FETCH_WAIT_MS)
        assert not pending.has_arrived

        assert produced(await nodes.produce(b"c")) == [(NONE, 2)]

        assert deleted(pending) == [(NONE, 1)]


async def test_a_deletion_does_not_complete_fetches(tmp_path: Path) -> None:
    """A consumer below the new log start gets its error when it fetches next, or at its timeout."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        reader = await nodes.fetch(1, max_wait_ms=3000, min_bytes=10_000)

        await nodes.delete(2)
        await pass_ms(2 * FETCH_WAIT_MS)
        assert not reader.has_arrived
        await pass_ms(2001)

        assert fetched(reader) == [(ErrorCode.OFFSET_OUT_OF_RANGE, [])]
        assert reader.after_ms == pytest.approx(3000, abs=1.01)


async def test_a_new_leader_does_not_end_the_wait(tmp_path: Path) -> None:
    """It ends with its timeout: no event completes it earlier."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        nodes.cluster.pause(3)
        pending = await nodes.delete(1, timeout_ms=2000)

        await nodes.lead(2)
        await settle()
        assert not pending.has_arrived
        await pass_ms(2001)

        assert deleted(pending) == [(TIMED_OUT, 0)]
