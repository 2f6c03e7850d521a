"""The markers of a large transaction: queued in slices, and sent while others are still queued."""

from __future__ import annotations

import pytest

from broker.common.topic_partition import TopicPartition
from broker.transactions.marker_channel import MARKERS_PER_REQUEST_MAX
from tests.broker.coordinators.scripted_broker import settle
from tests.broker.transactions.running_channel import RunningChannel, channel, pending
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio

REQUESTS = 8
PARTITIONS = [TopicPartition("a", index) for index in range(REQUESTS * MARKERS_PER_REQUEST_MAX)]
LEADERS = [2] * len(PARTITIONS)


def _add_in_slices(made: RunningChannel) -> int:
    """Add a transaction of all partitions; returns how many slices had run before."""
    before = short_slices(made.node.steps)
    made.channel.add_markers(pending(*PARTITIONS))
    return before


async def test_the_markers_of_a_large_transaction_are_queued_in_slices() -> None:
    """A piece has the markers of one request, and a slice two pieces."""
    async with channel(a=LEADERS) as made:
        before = _add_in_slices(made)
        await settle()

        assert made.node.steps.slices_run - before >= REQUESTS / 2
        assert made.requested(2) == PARTITIONS[:MARKERS_PER_REQUEST_MAX]


async def test_partitions_without_leader_are_queued_in_slices_when_they_have_one() -> None:
    """All of them are sent then."""
    async with channel(a=LEADERS) as made:
        leader = made.node.brokers.pop(2)
        await made.add(*PARTITIONS)
        made.node.brokers[2] = leader
        before = short_slices(made.node.steps)

        made.channel.metadata_changed()
        await settle()

        assert made.node.steps.slices_run - before >= REQUESTS / 2
        assert made.channel.unknown_destination_queue_size == 0
        assert made.requested(2) == PARTITIONS[:MARKERS_PER_REQUEST_MAX]


async def test_a_removed_transaction_is_not_queued_further() -> None:
    """Its state partition can be removed between two slices."""
    async with channel(a=LEADERS) as made:
        before = _add_in_slices(made)
        made.channel.remove_partition(4)
        await settle()

        assert made.node.steps.slices_run - before < REQUESTS / 2
        assert made.requested(2) is None


async def test_partitions_that_do_not_exist_end_a_large_transaction() -> None:
    """The coordinator gets all of them, in order, each once."""
    async with channel() as made:
        _add_in_slices(made)
        assert len(made.coordinator.partitions()) < len(PARTITIONS)
        await settle()

        assert made.coordinator.partitions() == PARTITIONS
