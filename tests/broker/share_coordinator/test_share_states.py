"""States that are loaded, and states whose records are pruned."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.records import ShareUpdateKey, ShareUpdateValue
from broker.share_coordinator.share_partition_state import initialized, snapshot_record, tombstone
from broker.share_coordinator.share_states import ShareStates
from tests.broker.share_coordinator.state_client import StateClient, state_batch, state_client
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio

KEYS = [SharePartitionKey("g", UUID(int=1), index) for index in range(2)]


def snapshot(key: SharePartitionKey) -> CoordinatorRecord:
    """The record of a new state."""
    return snapshot_record(key, initialized(None, 1, 0, 0))


def test_an_update_without_a_snapshot_is_ignored() -> None:
    """The snapshot was deleted with its share partition."""
    states = ShareStates()
    key = ShareUpdateKey(group_id="g", topic_id=UUID(int=1), partition=0)
    value = ShareUpdateValue(snapshot_epoch=0, leader_epoch=0, start_offset=0, state_batches=[])

    states.replay(CoordinatorRecord(key, value), 0)

    assert not states.states


def test_records_before_the_oldest_snapshot_are_redundant() -> None:
    """Without share partitions all records up to the last tombstone are."""
    states = ShareStates()
    ends = []
    for offset, record in enumerate(
        [
            snapshot(KEYS[0]),
            snapshot(KEYS[1]),
            snapshot(KEYS[0]),
            tombstone(KEYS[1]),
            tombstone(KEYS[0]),
        ]
    ):
        states.replay(record, offset)
        ends.append(states.redundant_end)

    assert ends == [0, 0, 1, 2, 5]


async def test_a_restarted_node_has_its_states(tmp_path: Path) -> None:
    """Snapshots, updates and epochs are read from the log."""
    async with running_node(tmp_path, kept=True) as node:
        client = state_client(node)
        await client.initialize(3, 0)
        await client.read(leader_epoch=2)
        await client.write((0, 4, 2, 1), state_epoch=3, leader_epoch=2, complete=5)
        topic_id = client.topic_id
    async with running_node(tmp_path, kept=True) as node:
        client = StateClient(node.client(), topic_id)

        summary, state = await client.summary(), await client.read(leader_epoch=2)

    assert (summary.state_epoch, summary.leader_epoch) == (3, 2)
    assert (summary.start_offset, summary.delivery_complete_count) == (0, 5)
    assert state.state_batches == [state_batch(0, 4, 2, 1)]


async def test_another_node_coordinates_after_the_leader_stops(tmp_path: Path) -> None:
    """A node that does not coordinate a share partition refuses requests about it."""
    async with running_cluster(tmp_path, 3) as cluster:
        client = state_client(cluster)
        image = cluster.controller.image
        key = SharePartitionKey("g", client.topic_id, 0)
        partition = cluster.node(1).share_groups.coordinator.runtime.partition_for(str(key))
        await trio.sleep(1)
        leader = image.topics["__share_group_state"].partitions[partition].leader
        others = [node_id for node_id in (1, 2, 3) if node_id != leader]
        at_leader = StateClient(cluster.client(leader), client.topic_id)
        assert (await at_leader.initialize(1, 4)).error_code == 0
        refused = await StateClient(cluster.client(others[0]), client.topic_id).read()
        assert refused.error_code == 16
        assert refused.error_message == "This is not the correct coordinator."

        await cluster.cluster.stop(leader)
        await trio.sleep(5)
        leader = image.topics["__share_group_state"].partitions[partition].leader

        assert leader in others
        state = await StateClient(cluster.client(leader), client.topic_id).read()
        assert (state.error_code, state.start_offset) == (0, 4)


async def test_redundant_records_are_deleted(tmp_path: Path) -> None:
    """Every five minutes, up to the oldest snapshot that a share partition needs."""
    async with running_node(tmp_path, share_coordinator_state_topic_num_partitions="1") as node:
        client = state_client(node)
        await client.initialize(1, 0)
        for epoch in (2, 3):
            await client.initialize(epoch, 0)
        log = node.node.replicas.partitions.get_or_error(
            TopicPartition("__share_group_state", 0)
        ).log
        assert (log.log_start_offset, log.log_end_offset) == (0, 3)

        await trio.sleep(301)

        assert log.log_start_offset == 2


async def test_an_unchanged_share_partition_gets_a_snapshot(tmp_path: Path) -> None:
    """So that the records of others can be deleted; if all are unchanged there is no other one."""
    async with running_node(tmp_path, share_coordinator_state_topic_num_partitions="1") as node:
        client = state_client(node)
        await client.initialize(1, 0, partition=0)
        log = node.node.replicas.partitions.get_or_error(
            TopicPartition("__share_group_state", 0)
        ).log
        await trio.sleep(301)
        assert log.log_end_offset == 2

        await trio.sleep(301)

        assert (log.log_start_offset, log.log_end_offset) == (1, 2)
        again = StateClient(node.client(), client.topic_id)
        assert (await again.summary()).state_epoch == 1
