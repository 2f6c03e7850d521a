"""A produce with acks=all waits for its followers; each way in which the wait ends.

Each scenario was compared with a real Kafka, in which a follower was stopped for a while.
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


async def test_healthy_followers_cause_no_delay(tmp_path: Path) -> None:
    """Their fetches wait at the leader already, so no time passes."""
    async with three_nodes(tmp_path, min_insync_replicas="3") as nodes:
        pending = await nodes.produce(b"a")

        assert (produced(pending), pending.after_ms) == ([(NONE, 0)], 0)
        assert nodes.ends() == [1, 1, 1]


async def test_it_waits_for_every_in_sync_replica(tmp_path: Path) -> None:
    """min.insync.replicas=2 of 3 live replicas do not end the wait; the resumed follower does."""
    async with three_nodes(tmp_path, min_insync_replicas="2") as nodes:
        nodes.cluster.pause(3)

        pending = await nodes.produce(b"a")
        hasty = await nodes.produce(b"b", acks=1)
        await pass_ms(1000)
        assert (produced(hasty), hasty.after_ms) == ([(NONE, 1)], 0)
        assert not pending.has_arrived

        nodes.cluster.resume(3)
        await settle()
        assert (produced(pending), pending.after_ms) == ([(NONE, 0)], 1000)


async def test_a_wait_that_times_out_keeps_the_records(tmp_path: Path) -> None:
    """Not before the timeout; with the assigned offset, and readable after they are replicated."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)

        pending = await nodes.produce(b"b", timeout_ms=500)
        await pass_ms(499)
        assert not pending.has_arrived
        await pass_ms(2)
        assert pending.after_ms == pytest.approx(500, abs=1.01)
        [topic] = pending.response.responses
        [partition] = topic.partition_responses
        assert (partition.error_code, partition.base_offset) == (TIMED_OUT, 1)
        assert (partition.log_start_offset, partition.log_append_time_ms) == (0, -1)
        assert partition.error_message is None

        assert fetched(await nodes.fetch(1)) == [(NONE, [])]
        nodes.cluster.resume(3)
        await settle()
        assert fetched(await nodes.fetch(1)) == [(NONE, [b"b"])]


@pytest.mark.parametrize("timeout_ms", [0, -1])
async def test_a_timeout_of_zero_expires_at_once(tmp_path: Path, timeout_ms: int) -> None:
    """A timeout of 0 or less has expired before the wait; the records stay in the log."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)

        pending = await nodes.produce(b"a", timeout_ms=timeout_ms)

        assert (produced(pending), pending.after_ms) == ([(TIMED_OUT, 0)], 0)
        assert nodes.ends(1, 2) == [1, 1]


async def test_a_smaller_in_sync_set_ends_the_wait(tmp_path: Path) -> None:
    """Between 1 and 1.5 times replica.lag.time.max.ms; consumers' waits end too."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        pending = await nodes.produce(b"b")
        reader = await nodes.fetch(1, max_wait_ms=60_000)

        await pass_ms(LAG_MAX_MS - 1)
        assert not pending.has_arrived
        await pass_ms(LAG_MAX_MS / 2 + 1)

        assert produced(pending) == [(NONE, 1)]
        assert fetched(reader) == [(NONE, [b"b"])]
        assert nodes.isr() == (1, 2)
        after = await nodes.produce(b"c")
        assert (produced(after), after.after_ms) == ([(NONE, 2)], 0)


async def test_too_few_in_sync_replicas_are_an_error_before_the_append_only(tmp_path: Path) -> None:
    """NOT_ENOUGH_REPLICAS for new requests; a request that waits already times out.

    The high watermark does not move below min.insync.replicas, so
    NOT_ENOUGH_REPLICAS_AFTER_APPEND does not occur; all records are readable once the follower is
    resumed.
    """
    async with three_nodes(tmp_path, min_insync_replicas="3") as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        parked = await nodes.produce(b"b", timeout_ms=10_000)
        await pass_ms(1.5 * LAG_MAX_MS + 1)
        assert nodes.isr() == (1, 2)
        assert not parked.has_arrived

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


async def test_many_requests_complete_together(tmp_path: Path) -> None:
    """Thirty connections wait, and one resumed follower completes all of their requests."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        pending_responses = [await nodes.produce(b"a") for _ in range(30)]
        assert not any(pending.has_arrived for pending in pending_responses)

        nodes.cluster.resume(3)
        await settle()

        assert [produced(pending) for pending in pending_responses] == [
            [(NONE, n)] for n in range(30)
        ]


async def test_a_new_leader_ends_the_wait_for_its_partition(tmp_path: Path) -> None:
    """NOT_LEADER_OR_FOLLOWER with the assigned offset; the other partition waits on, and it stays.

    The records survive: the new leader has them.
    """
    async with three_nodes(tmp_path, partitions=2) as nodes:
        nodes.cluster.pause(3)
        alone = await nodes.produce(b"a")
        both = await nodes.produce(b"b", partitions=2, timeout_ms=2000)

        await nodes.lead(2)
        await settle()
        assert produced(alone) == [(ErrorCode.NOT_LEADER_OR_FOLLOWER, 0)]
        assert alone.after_ms == 0
        assert not both.has_arrived

        await pass_ms(2001)
        assert produced(both) == [(ErrorCode.NOT_LEADER_OR_FOLLOWER, 1), (TIMED_OUT, 0)]
        assert nodes.ends(1, 2) == [2, 2]


async def test_a_deleted_topic_ends_the_wait(tmp_path: Path) -> None:
    """UNKNOWN_TOPIC_OR_PARTITION at once, with the assigned offset."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        pending = await nodes.produce(b"b")

        nodes.controller.delete_topic("t")
        await settle()

        assert produced(pending) == [(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 1)]
        assert pending.after_ms == 0


@pytest.mark.parametrize("resumes", [True, False])
async def test_an_error_in_one_partition_does_not_end_the_wait(
    tmp_path: Path, resumes: bool
) -> None:
    """It is in the response with the other results, whether they succeed or time out."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        pending = await nodes.produce(b"a", partitions=2, timeout_ms=1000)
        assert not pending.has_arrived

        if resumes:
            nodes.cluster.resume(3)
        await pass_ms(1001)

        first = (NONE, 0) if resumes else (TIMED_OUT, 0)
        assert produced(pending) == [first, (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)]


async def test_a_disconnect_abandons_the_wait(tmp_path: Path) -> None:
    """The records stay, and the purgatory is empty."""
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
