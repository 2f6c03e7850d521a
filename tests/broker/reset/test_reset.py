"""A reset of the whole cluster: what it removes, what it leaves, and how waiting requests end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.cluster_member import NodeState
from broker.common.topic_partition import TopicPartition
from broker.config.dynamic import ALL_NODES
from broker.controller.metadata.features import SAFE_DOWNGRADE, TRANSACTION_VERSION, FeatureUpdate
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from broker.reset.given import Given, GivenTopic
from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from protocol.messages.metadata import MetadataRequest
from protocol.record_batch.header import TRANSACTIONAL_BIT
from tests.batches import batch
from tests.broker.api.handlers.transactions.transactional_producer import transactional_producer
from tests.broker.reset.members import (
    JOIN_VERSION,
    commit_request,
    join,
    join_request,
    reset_of,
)
from tests.client import running_cluster, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


async def test_topics_groups_and_transactions_are_removed(tmp_path: Path) -> None:
    """With the internal topics that hold them; the counts have what clients had made."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))
        await join(node, node.client(), "g")

        removed = await reset_of(node).reset(None)

        assert (removed.topics, removed.groups, removed.transactional_ids) == (1, 1, 1)
        assert set(node.controller.image.topics) == {TRANSACTION_STATE_TOPIC}
        assert set(node.node.image.topics) == {TRANSACTION_STATE_TOPIC}
        assert node.node.groups.groups == {}
        assert node.node.transactions.states.ongoing == {}
        assert {log.log_end_offset for log in node.node.logs} == {0}


async def test_a_transactional_producer_is_unknown_after_two_resets(tmp_path: Path) -> None:
    """A batch gets INVALID_PRODUCER_ID_MAPPING: its coordinator is found and does not know it."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        for _ in range(2):
            await reset_of(node).reset(None)
        node.controller.create_topic("a")
        first = batch(b"a", attributes=TRANSACTIONAL_BIT, base_sequence=0, **producer.identity)
        request = replace(produce_request("a", first), transactional_id="billing")

        response = await producer.client.send(request, PRODUCE_VERSION)

        [partition] = response.responses[0].partition_responses
        assert partition.error_code == ErrorCode.INVALID_PRODUCER_ID_MAPPING


async def test_committed_offsets_are_gone_when_the_group_is_used_again(tmp_path: Path) -> None:
    """The topic of offsets is created again, empty."""
    async with running_node(tmp_path) as node:
        client = node.client()
        await join(node, client, "h")
        await client.send(commit_request("g", "t", 7), 5)

        await reset_of(node).reset(None)
        await join(node, client, "h")

        assert set(node.node.groups.groups) == {"h"}


async def test_a_topic_given_at_the_start_is_empty_and_has_another_id(tmp_path: Path) -> None:
    """With the partitions that were given; also if a client had deleted it."""
    given = Given((GivenTopic("t", 2), GivenTopic("u")))
    async with running_node(tmp_path) as node:
        before = node.controller.create_topic("t", partitions=2)
        client = node.client()
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)

        removed = await reset_of(node, given).reset(None)

        after = node.controller.image.topics["t"]
        assert removed.recreated == ["t", "u"]
        assert after.topic_id != before.topic_id
        assert len(after.partitions) == 2
        response = await client.send(produce_request("t", batch(b"b")), PRODUCE_VERSION)
        assert response.responses[0].partition_responses[0].base_offset == 0


async def test_the_marker_of_a_transaction_that_completes_is_not_written_afterwards(
    tmp_path: Path,
) -> None:
    """A marker names a topic, not its id: one in flight would reach the topic created again."""
    given = Given((GivenTopic("a"),))
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        for _ in range(2):  # the second marker needs no new connection
            await trio.testing.wait_all_tasks_blocked()
            await producer.add(("a", [0]))
            await producer.end(3)

        await reset_of(node, given).reset(None)
        await trio.testing.wait_all_tasks_blocked()

        assert {log.log_end_offset for log in node.node.logs} == {0}


async def test_a_marker_that_cannot_be_written_delays_a_reset_for_a_limited_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction is removed with its coordinator."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))
        monkeypatch.setattr(node.node.marker_channel, "add_markers", lambda _: None)
        await producer.end(3)

        removed = await reset_of(node).reset(None)

        assert removed.transactional_ids == 1
        assert set(node.controller.image.topics) == {TRANSACTION_STATE_TOPIC}


async def test_connections_stay_usable(tmp_path: Path) -> None:
    """The next request on a connection of before has a response."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        await client.send(MetadataRequest(topics=None))

        await reset_of(node).reset(None)

        response = await client.send(MetadataRequest(topics=None))
        assert response.topics == []


async def test_a_parked_fetch_ends_with_an_error_that_clients_retry(tmp_path: Path) -> None:
    """As when its topic is deleted."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        client.start(fetch_request("t", 0, max_wait_ms=30_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        removed = await reset_of(node).reset(None)

        (topic,) = (await client.receive()).responses
        assert topic.partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert removed.parked_requests == 1


async def test_a_parked_produce_ends_with_an_error_that_clients_retry(tmp_path: Path) -> None:
    """It waits for a paused node, which runs again."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        cluster.cluster.pause(2)
        client = cluster.client(1)
        client.start(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        removed = await reset_of(cluster).reset(None)

        (topic,) = (await client.receive()).responses
        error = topic.partition_responses[0].error_code
        assert error in (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NONE)
        assert (removed.resumed, removed.parked_requests) == ([2], 1)


async def test_a_parked_join_ends_with_not_coordinator(tmp_path: Path) -> None:
    """The member finds its coordinator and joins again."""
    async with running_node(tmp_path) as node:
        first, second = node.client(), node.client()
        await join(node, first, "g")
        second.start(join_request("g"), JOIN_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        removed = await reset_of(node).reset(None)

        assert (await second.receive()).error_code == ErrorCode.NOT_COORDINATOR
        assert removed.parked_requests == 1
        await join(node, second, "g")


async def test_settings_of_clients_are_removed(tmp_path: Path) -> None:
    """Quotas, dynamic configs and the levels of features; all nodes apply it."""
    async with running_cluster(tmp_path, 2) as cluster:
        controller = cluster.controller
        controller.client_quotas.alter((("user", "u"),), {"producer_byte_rate": 1.0})
        controller.alter_broker_configs("1", lambda _: {"log.retention.ms": "1"})
        controller.alter_broker_configs(ALL_NODES, lambda old: {**old, "num.partitions": "3"})
        controller.update_features(
            [FeatureUpdate(TRANSACTION_VERSION, 0, SAFE_DOWNGRADE)], validate_only=False
        )

        removed = await reset_of(cluster).reset(None)

        assert removed.settings["client_quotas"] == 1
        assert removed.settings["configs"] == 2
        assert removed.settings["features"] == 1
        for image in (controller.image, cluster.node(1).image, cluster.node(2).image):
            assert image.client_quotas == {}
            assert image.feature_level(TRANSACTION_VERSION) == 2
        assert cluster.node(1).config.log_retention_ms is None
        assert cluster.node(2).config.num_partitions == 1
        assert await reset_of(cluster).reset(None) == await reset_of(cluster).reset(None)


async def test_nodes_and_clock_run_again(tmp_path: Path) -> None:
    """A stopped node starts and a paused one fetches; the time does not go back."""
    async with running_cluster(tmp_path, 3) as cluster:
        cluster.cluster.pause(2)
        await cluster.cluster.stop(3)
        cluster.cluster.clock.freeze()

        removed = await reset_of(cluster).reset(None)

        assert (removed.resumed, removed.started) == ([2], [3])
        states = {member.state for member in cluster.cluster.members.values()}
        assert states == {NodeState.RUNNING}
        assert cluster.cluster.clock.speed == 1


async def test_two_resets_at_once_follow_each_other(tmp_path: Path) -> None:
    """The second one finds a clean slate."""
    async with running_cluster(tmp_path, 3) as cluster:
        cluster.controller.create_topic("t", partitions=3, replication_factor=3)
        reset, found = reset_of(cluster), []

        async def begin() -> None:
            found.append(await reset.reset(None))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(begin)
            nursery.start_soon(begin)

        assert sorted(each.topics for each in found) == [0, 1]


async def test_many_topics_are_removed_in_several_transactions(tmp_path: Path) -> None:
    """Other tasks run in between."""
    async with running_node(tmp_path) as node:
        for number in range(205):
            node.controller.create_topic(f"t{number}", partitions=1)

        assert (await reset_of(node).reset(None)).topics == 205
        assert node.controller.image.topics == {}


async def test_the_recorded_requests_are_those_since_the_reset(tmp_path: Path) -> None:
    """The counters of the process continue."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        await cluster.client(1).send(MetadataRequest(topics=None))
        recorder = cluster.cluster.recorder
        assert recorder is not None
        assert len(recorder.recent) == 1

        await reset_of(cluster).reset(None)

        assert len(recorder.recent) == 0


async def test_files_and_timers_of_removed_topics_are_gone_at_once(tmp_path: Path) -> None:
    """Without ``log.segment.delete.delay.ms``, also of topics that a client has deleted."""
    async with running_node(tmp_path) as node:
        await reset_of(node).reset(None)
        pending = node.node.timer.size
        node.controller.create_topic("t", partitions=2)
        node.controller.create_topic("u")
        node.controller.delete_topic("u")

        await reset_of(node).reset(None)

        assert node.node.timer.size == pending
        while list((tmp_path / "node-1").glob("[tu]-*")):  # a thread removes them
            await trio.to_thread.run_sync(lambda: None)


async def test_nothing_comes_back_after_a_restart(tmp_path: Path) -> None:
    """Neither topics nor groups nor records, with storage on disk."""
    async with running_node(tmp_path, kept=True) as node:
        node.controller.create_topic("t")
        client = node.client()
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        await join(node, client, "g")
        await reset_of(node).reset(None)

    async with running_node(tmp_path, kept=True) as node:
        assert node.controller.image.topics == {}
        node.controller.create_topic("t")
        assert node.node.replicas.partitions[KEY].log.log_end_offset == 0
        await join(node, node.client(), "h")
        assert set(node.node.groups.groups) == {"h"}
