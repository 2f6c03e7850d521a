"""How a produce with acks=all waits for its followers, and every way in which that ends.

Each story is one that was played with a real Kafka, a follower stopped for a while.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.batches import batch
from tests.broker.scenarios.three_nodes import (
    LAG_MAX_MS,
    fetched,
    pass_ms,
    produced,
    settle,
    three_nodes,
)
from tests.requests import PRODUCE_VERSION

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
TIMED_OUT = ErrorCode.REQUEST_TIMED_OUT


async def test_healthy_followers_are_waited_for_without_a_pause(tmp_path: Path) -> None:
    """Their polls wait at the leader already, so no time passes."""
    async with three_nodes(tmp_path, min_insync_replicas="3") as nodes:
        answer = await nodes.produce(b"a")

        assert (produced(answer), answer.after_ms) == ([(NONE, 0)], 0)
        assert nodes.ends() == [1, 1, 1]


async def test_it_waits_for_every_member_of_the_set(tmp_path: Path) -> None:
    """min.insync.replicas 2 of 3 alive is not enough; the resumed follower ends the wait."""
    async with three_nodes(tmp_path, min_insync_replicas="2") as nodes:
        nodes.cluster.pause(3)

        answer = await nodes.produce(b"a")
        hasty = await nodes.produce(b"b", acks=1)
        await pass_ms(1000)
        assert (produced(hasty), hasty.after_ms) == ([(NONE, 1)], 0)
        assert not answer.is_there

        nodes.cluster.resume(3)
        await settle()
        assert (produced(answer), answer.after_ms) == ([(NONE, 0)], 1000)


async def test_a_wait_that_times_out_keeps_the_records(tmp_path: Path) -> None:
    """Never early; with the offset they really got, and readable once they are replicated."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)

        answer = await nodes.produce(b"b", timeout_ms=500)
        await pass_ms(499)
        assert not answer.is_there
        await pass_ms(2)
        assert answer.after_ms == pytest.approx(500, abs=1.01)
        [topic] = answer.response.responses
        [partition] = topic.partition_responses
        assert (partition.error_code, partition.base_offset) == (TIMED_OUT, 1)
        assert (partition.log_start_offset, partition.log_append_time_ms) == (0, -1)
        assert partition.error_message is None

        assert fetched(await nodes.fetch(1)) == [(NONE, [])]
        nodes.cluster.resume(3)
        await settle()
        assert fetched(await nodes.fetch(1)) == [(NONE, [b"b"])]


@pytest.mark.parametrize("timeout_ms", [0, -1])
async def test_no_time_to_wait_is_told_at_once(tmp_path: Path, timeout_ms: int) -> None:
    """A timeout of 0 or less is over before it begins; the records stay."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)

        answer = await nodes.produce(b"a", timeout_ms=timeout_ms)

        assert (produced(answer), answer.after_ms) == ([(TIMED_OUT, 0)], 0)
        assert nodes.ends(1, 2) == [1, 1]


async def test_a_set_that_shrinks_ends_the_wait(tmp_path: Path) -> None:
    """Between 1 and 1.5 times replica.lag.time.max.ms; consumers wake with it."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        answer = await nodes.produce(b"b")
        reader = await nodes.fetch(1, max_wait_ms=60_000)

        await pass_ms(LAG_MAX_MS - 1)
        assert not answer.is_there
        await pass_ms(LAG_MAX_MS / 2 + 1)

        assert produced(answer) == [(NONE, 1)]
        assert fetched(reader) == [(NONE, [b"b"])]
        assert nodes.isr() == (1, 2)
        after = await nodes.produce(b"c")
        assert (produced(after), after.after_ms) == ([(NONE, 2)], 0)


async def test_too_few_in_sync_are_told_before_the_append_only(tmp_path: Path) -> None:
    """NOT_ENOUGH_REPLICAS for who comes; who waits already is not told, and times out.

    The high watermark stands still below min.insync.replicas, so NOT_ENOUGH_REPLICAS_AFTER_APPEND
    is never seen; when the follower is back, all is readable.
    """
    async with three_nodes(tmp_path, min_insync_replicas="3") as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        parked = await nodes.produce(b"b", timeout_ms=10_000)
        await pass_ms(1.5 * LAG_MAX_MS + 1)
        assert nodes.isr() == (1, 2)
        assert not parked.is_there

        refused = await nodes.produce(b"c")
        assert (produced(refused), refused.after_ms) == ([(ErrorCode.NOT_ENOUGH_REPLICAS, -1)], 0)
        hasty = await nodes.produce(b"d", acks=1)
        assert produced(hasty) == [(NONE, 2)]
        assert await nodes.latest() == 1

        await pass_ms(10_000)
        assert produced(parked) == [(TIMED_OUT, 1)]
        assert parked.after_ms == pytest.approx(10_000, abs=1.01)
        nodes.cluster.resume(3)
        await settle()
        assert nodes.isr() == (1, 2, 3)
        assert fetched(await nodes.fetch(1)) == [(NONE, [b"b", b"d"])]


async def test_many_are_answered_together(tmp_path: Path) -> None:
    """Thirty connections wait, and one resume frees them all."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        answers = [await nodes.produce(b"a") for _ in range(30)]
        assert not any(answer.is_there for answer in answers)

        nodes.cluster.resume(3)
        await settle()

        assert [produced(answer) for answer in answers] == [[(NONE, n)] for n in range(30)]


async def test_a_leader_that_moves_ends_the_wait_for_its_partition(tmp_path: Path) -> None:
    """NOT_LEADER_OR_FOLLOWER with the offset assigned; the other partition waits on, and it sticks.

    The records survive: the new leader had them.
    """
    async with three_nodes(tmp_path, partitions=2) as nodes:
        nodes.cluster.pause(3)
        alone = await nodes.produce(b"a")
        both = await nodes.produce(b"b", partitions=2, timeout_ms=2000)

        await nodes.lead(2)
        await settle()
        assert produced(alone) == [(ErrorCode.NOT_LEADER_OR_FOLLOWER, 0)]
        assert alone.after_ms == 0
        assert not both.is_there

        await pass_ms(2001)
        assert produced(both) == [(ErrorCode.NOT_LEADER_OR_FOLLOWER, 1), (TIMED_OUT, 0)]
        assert nodes.ends(1, 2) == [2, 2]


async def test_a_deleted_topic_ends_the_wait(tmp_path: Path) -> None:
    """UNKNOWN_TOPIC_OR_PARTITION at once, still with the offset assigned."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        answer = await nodes.produce(b"b")

        nodes.controller.delete_topic("t")
        await settle()

        assert produced(answer) == [(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 1)]
        assert answer.after_ms == 0


@pytest.mark.parametrize("resumes", [True, False])
async def test_one_partition_in_error_does_not_end_the_wait(tmp_path: Path, resumes: bool) -> None:
    """It is told with the rest, be that done or timed out."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        answer = await nodes.produce(b"a", partitions=2, timeout_ms=1000)
        assert not answer.is_there

        if resumes:
            nodes.cluster.resume(3)
        await pass_ms(1001)

        first = (NONE, 0) if resumes else (TIMED_OUT, 0)
        assert produced(answer) == [first, (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)]


async def test_a_client_that_goes_away_is_not_waited_for(tmp_path: Path) -> None:
    """Its records stay, and nothing is left in the purgatory."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        client = nodes.client()
        topics = [
            TopicProduceData(
                name="t", partition_data=[PartitionProduceData(index=0, records=batch(b"a"))]
            )
        ]
        client.start(ProduceRequest(acks=-1, timeout_ms=5000, topic_data=topics), PRODUCE_VERSION)
        await settle()
        waiting = nodes.running.node(1).replication.purgatories.produce
        assert waiting.num_delayed() == 1

        client.close()
        await settle()

        assert waiting.num_delayed() == 0
        assert nodes.ends(1, 2) == [1, 1]
