"""The share coordinator: initialize, read, write, delete and summarize states."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
import trio
import trio.testing

from broker.controller.metadata.image import SHARE_GROUP_STATE_TOPIC
from protocol.errors import ErrorCode
from protocol.messages import initialize_share_group_state as initialize
from protocol.messages import write_share_group_state as changes
from tests.broker.api.authorization.fake_authorizer import FakeAuthorizer, install
from tests.broker.share_coordinator.state_client import StateClient, state_batch, state_client
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio

NOT_INITIALIZED = "operation on uninitialized share partition not allowed."


async def test_an_initialized_state_is_read(tmp_path: Path) -> None:
    """It has its epoch and its start offset, and no batches."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        assert (await client.initialize(3, 7)).error_code == 0

        state = await client.read()

    assert (state.error_code, state.state_epoch, state.start_offset) == (0, 3, 7)
    assert state.state_batches == []


async def test_writes_are_merged(tmp_path: Path) -> None:
    """A start offset of -1 keeps the stored one."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        await client.initialize(1, 0)
        await client.write((5, 9, 0, 1), (10, 14, 2, 1), start_offset=5)
        await client.write((7, 11, 2, 2))

        state = await client.read()

    assert state.start_offset == 5
    assert state.state_batches == [
        state_batch(5, 6, 0, 1),
        state_batch(7, 11, 2, 2),
        state_batch(12, 14, 2, 1),
    ]


async def test_an_uninitialized_state_is_neither_read_nor_written(tmp_path: Path) -> None:
    """Its summary has no error and start offset -1, and it can be deleted."""
    async with running_node(tmp_path) as node:
        client = state_client(node)

        read, write = await client.read(), await client.write()
        summary, deleted = await client.summary(), await client.delete()

    assert (read.error_code, read.error_message) == (42, f"Read {NOT_INITIALIZED}")
    assert (write.error_code, write.error_message) == (42, f"Write {NOT_INITIALIZED}")
    assert (summary.error_code, summary.start_offset, summary.delivery_complete_count) == (
        0,
        -1,
        -1,
    )
    assert deleted.error_code == 0


async def test_a_new_leader_fences_the_one_before(tmp_path: Path) -> None:
    """Its read stores its epoch; reads and writes with lower ones are refused."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        await client.initialize(1, 0)
        await client.read(leader_epoch=5)

        read, write = await client.read(leader_epoch=4), await client.write(leader_epoch=4)

        assert read.error_code == write.error_code == ErrorCode.FENCED_LEADER_EPOCH
        assert (await client.summary()).leader_epoch == 5


async def test_a_reset_fences_writes_with_the_state_epoch_before(tmp_path: Path) -> None:
    """Also a second initialization with a lower epoch; higher epochs are accepted."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        await client.initialize(1, 0)
        await client.write((0, 9, 2, 1))
        await client.initialize(4, 3)

        old, older = await client.write(state_epoch=3), await client.initialize(3, 0)
        newer = await client.write(state_epoch=9)
        state = await client.read()

    assert old.error_code == older.error_code == ErrorCode.FENCED_STATE_EPOCH
    assert newer.error_code == 0
    assert (state.state_epoch, state.start_offset, state.state_batches) == (4, 3, [])


async def test_epochs_of_minus_one_are_not_compared(tmp_path: Path) -> None:
    """They keep the stored epochs."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        await client.initialize(2, 0)
        await client.read(leader_epoch=5)

        assert (await client.write(state_epoch=-1, leader_epoch=-1)).error_code == 0
        assert (await client.read(leader_epoch=-1)).state_epoch == 2
        assert (await client.summary()).leader_epoch == 5


async def test_an_initialization_with_the_epoch_minus_one_is_not_fenced(tmp_path: Path) -> None:
    """The highest epoch continues to fence others."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        await client.initialize(2, 0)

        assert (await client.initialize(-1, 7)).error_code == 0
        assert (await client.summary()).start_offset == 7
        assert (await client.initialize(1, 0)).error_code == ErrorCode.FENCED_STATE_EPOCH


async def test_a_deleted_state_is_uninitialized(tmp_path: Path) -> None:
    """Its epochs are forgotten."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        await client.initialize(7, 0)
        await client.delete()

        assert (await client.read()).error_code == ErrorCode.INVALID_REQUEST
        assert (await client.initialize(1, 0)).error_code == 0


@pytest.mark.parametrize(
    ("partition", "error"),
    [(2, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION), (-1, ErrorCode.INVALID_REQUEST)],
)
async def test_a_partition_must_exist(tmp_path: Path, partition: int, error: ErrorCode) -> None:
    """A negative number is an invalid request."""
    async with running_node(tmp_path) as node:
        client = state_client(node)

        assert (await client.initialize(1, 0, partition)).error_code == error
        assert (await client.delete(partition)).error_code == error


async def test_a_topic_must_exist(tmp_path: Path) -> None:
    """A state that was never initialized is reported first, as in Kafka."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        other = StateClient(client.client, UUID(int=9))

        assert (await other.initialize(1, 0)).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert (await other.read()).error_code == ErrorCode.INVALID_REQUEST


async def test_the_states_of_a_deleted_topic_are_deleted(tmp_path: Path) -> None:
    """The coordinator writes their tombstones when it applies the deletion."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        await client.initialize(1, 0)
        coordinator = node.node.share_groups.coordinator

        node.controller.delete_topic("t")
        await trio.testing.wait_all_tasks_blocked()

        assert not any(states.states for states in coordinator.states.values())


async def test_states_whose_deletion_the_log_refuses_are_deleted_later(tmp_path: Path) -> None:
    """The node deletes the topic; the next repetition of snapshots deletes the states."""
    async with running_cluster(
        tmp_path,
        1,
        share_coordinator_state_topic_num_partitions="1",
        share_coordinator_cold_partition_snapshot_interval_ms="60000",
    ) as cluster:
        topic_id = state_client(cluster).topic_id
        await trio.sleep(1)
        node, controller = cluster.node(1), cluster.controller
        await StateClient(cluster.client(1), topic_id).initialize(1, 0)
        limits = {"max.message.bytes": "10"}
        controller.alter_topic_configs(SHARE_GROUP_STATE_TOPIC, lambda was: {**was, **limits})

        controller.delete_topic("t")
        await trio.sleep(1)
        states = node.share_groups.coordinator.states[0].states
        assert node.image.topic("t") is None
        assert len(states) == 1

        limits["max.message.bytes"] = "1000000"
        controller.alter_topic_configs(SHARE_GROUP_STATE_TOPIC, lambda was: {**was, **limits})
        await trio.sleep(60)

        assert not states


async def test_a_request_without_a_group_or_topics_has_no_results(tmp_path: Path) -> None:
    """A partition that is named twice has one."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        part = initialize.PartitionData(partition=0, state_epoch=1, start_offset=0)
        topic = initialize.InitializeStateData(topic_id=client.topic_id, partitions=[part, part])
        cls = initialize.InitializeShareGroupStateRequest

        without_group = await client.client.send(cls(group_id="", topics=[topic]))
        without_topics = await client.client.send(cls(group_id="g", topics=[]))
        twice = await client.client.send(cls(group_id="g", topics=[topic]))

    assert without_group.results == without_topics.results == []
    assert [len(each.partitions) for each in twice.results] == [1]


async def test_clients_that_are_not_brokers_are_refused_with_a_message(tmp_path: Path) -> None:
    """In the response of each of the requests."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        install(node.node, FakeAuthorizer())
        results = [
            await client.initialize(1, 0),
            await client.read(),
            await client.write(),
            await client.summary(),
            await client.delete(),
        ]

    assert {(each.error_code, each.error_message) for each in results} == {
        (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")
    }


async def test_a_partition_that_is_named_twice_is_changed_twice(tmp_path: Path) -> None:
    """Its result is the last one: the first epoch fences the second."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        parts = [
            initialize.PartitionData(partition=0, state_epoch=epoch, start_offset=epoch)
            for epoch in (7, 3)
        ]
        topic = initialize.InitializeStateData(topic_id=client.topic_id, partitions=parts)
        cls = initialize.InitializeShareGroupStateRequest
        response = await client.client.send(cls(group_id="g", topics=[topic]))
        summary = await client.summary()

    ((result,),) = (each.partitions for each in response.results)
    assert result.error_code == ErrorCode.FENCED_STATE_EPOCH
    assert (summary.state_epoch, summary.start_offset) == (7, 7)


async def test_a_topic_without_partitions_leaves_no_results(tmp_path: Path) -> None:
    """As in Kafka, an initialization only ignores it."""
    async with running_node(tmp_path) as node:
        client = state_client(node)
        await client.initialize(1, 0)
        part = initialize.PartitionData(partition=0, state_epoch=1, start_offset=0)
        topics = [
            initialize.InitializeStateData(topic_id=client.topic_id, partitions=each)
            for each in ([part], [])
        ]
        cls = initialize.InitializeShareGroupStateRequest
        initialized = await client.client.send(cls(group_id="g", topics=topics))
        request = client.write_request()
        request.topics.append(changes.WriteStateData(topic_id=client.topic_id, partitions=[]))
        written = await client.client.send(request)

    assert [len(each.partitions) for each in initialized.results] == [1]
    assert written.results == []


async def test_a_snapshot_follows_a_number_of_updates(tmp_path: Path) -> None:
    """It has the next snapshot epoch, and the merged batches."""
    async with running_node(
        tmp_path, share_coordinator_snapshot_update_records_per_snapshot="2"
    ) as node:
        client = state_client(node)
        await client.initialize(1, 0)
        found = []
        for offset in range(4):
            await client.write((offset, offset, 2, 1))
            coordinator = node.node.share_groups.coordinator
            ((state,),) = (
                each.states.values() for each in coordinator.states.values() if each.states
            )
            found.append((state.snapshot_epoch, state.update_count))

        assert found == [(0, 1), (0, 2), (1, 0), (1, 1)]
        assert (await client.read()).state_batches == [state_batch(0, 3, 2, 1)]
