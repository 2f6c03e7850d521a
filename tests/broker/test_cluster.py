"""The states of nodes, and the operations that change them."""

from __future__ import annotations

import errno
from itertools import count
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.admin.cluster_facts import ClusterFacts
from broker.cluster import Cluster
from broker.cluster_member import NodeState
from broker.common.adjustable_clock import AdjustableClock
from broker.common.errors import DiskFailed, InvariantBroken, NodeFailed, NoSuchNode, WrongState
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.config.topics import check_topic_configs
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import Broker
from broker.steps.schedule import schedule_once
from broker.what_if.memory_network import MemoryNetwork
from tests.batches import batch
from tests.broker.api.broken_handlers import contain_errors
from tests.client import RunningCluster, running_cluster
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


def _state(running: RunningCluster, node_id: int) -> NodeState:
    return running.cluster.members[node_id].state


async def test_a_node_can_be_paused_resumed_stopped_and_started(tmp_path: Path) -> None:
    """Each operation changes its state."""
    async with running_cluster(tmp_path) as running:
        cluster = running.cluster
        assert _state(running, 2) is NodeState.RUNNING

        cluster.pause(2)
        assert _state(running, 2) is NodeState.PAUSED
        cluster.resume(2)
        assert _state(running, 2) is NodeState.RUNNING
        await cluster.stop(2)
        assert _state(running, 2) is NodeState.STOPPED
        assert [node.id for node in cluster.nodes] == [1, 3]
        await cluster.start(2)
        assert _state(running, 2) is NodeState.RUNNING


async def test_an_operation_in_a_wrong_state_is_refused(tmp_path: Path) -> None:
    """The message is one line, and the states do not change."""
    async with running_cluster(tmp_path) as running:
        cluster = running.cluster
        with pytest.raises(WrongState, match="node 2 is not paused"):
            cluster.resume(2)
        with pytest.raises(WrongState, match="node 2 is running; only a stopped one"):
            await cluster.start(2)
        cluster.pause(2)
        with pytest.raises(WrongState, match="node 2 is paused already"):
            cluster.pause(2)
        with pytest.raises(WrongState, match="node 2 is paused; only a stopped one"):
            await cluster.start(2)
        await cluster.stop(2)
        for operation in (cluster.pause, cluster.resume, cluster.node):
            with pytest.raises(WrongState, match="node 2 is stopped; start it first"):
                operation(2)
        with pytest.raises(WrongState, match="node 2 is stopped; start it first"):
            await cluster.stop(2)
        assert [_state(running, n) for n in (1, 2, 3)] == ["running", "stopped", "running"]


async def test_an_unknown_node_is_refused(tmp_path: Path) -> None:
    """The message contains the known nodes."""
    async with running_cluster(tmp_path) as running:
        cluster = running.cluster
        for operation in (cluster.pause, cluster.resume):
            with pytest.raises(NoSuchNode, match="there is no node 4, only 1, 2, 3"):
                operation(4)
        with pytest.raises(NoSuchNode):
            await cluster.stop(0)
        with pytest.raises(NoSuchNode):
            await cluster.start(-1)


async def test_a_stop_has_the_effects_of_a_crash(tmp_path: Path) -> None:
    """Connections close without responses, nothing is flushed, and the node is fenced."""
    async with running_cluster(tmp_path) as running:
        running.controller.create_topic("t", assignments=[(2, 1, 3)])
        client = running.client(2)
        client.start(fetch_request("t", 0, max_wait_ms=10_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        await running.cluster.stop(2)

        assert await client.closed()
        assert not (tmp_path / "node-2" / ".kafka_cleanshutdown").exists()
        assert running.controller.image.brokers[2].fenced
        with pytest.raises(ConnectionRefusedError):
            await running.network.connect("127.0.0.1", 9093)


async def test_a_shutdown_moves_leaders_and_flushes(tmp_path: Path) -> None:
    """Another replica leads, the node is fenced, and its directory has the mark of a clean end."""
    async with running_cluster(tmp_path) as running:
        running.controller.create_topic("t", assignments=[(2, 1, 3)])

        await running.cluster.shut_down(2)

        partition = running.controller.image.topics["t"].partitions[0]
        assert (partition.leader, partition.isr) == (1, (1, 3))
        assert running.controller.image.brokers[2].fenced
        assert _state(running, 2) is NodeState.STOPPED
        assert (tmp_path / "node-2" / ".kafka_cleanshutdown").exists()


async def test_a_follower_that_was_shut_down_keeps_its_log_start(tmp_path: Path) -> None:
    """Deleted records are not readable again when it leads."""
    async with running_cluster(tmp_path) as running:
        running.controller.create_topic("t", assignments=[(2, 1, 3)])
        client = running.client(2)
        for value in (b"a", b"b"):  # with the second one, the followers get the high watermark
            await client.send(produce_request("t", batch(value), acks=-1), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        for node in running.cluster.nodes:
            log = node.logs.get(KEY)
            assert log is not None
            log.maybe_increment_log_start_offset(1)

        await running.cluster.shut_down(1)
        await running.cluster.start(1)

        restarted = running.cluster.node(1).logs.get(KEY)
        assert restarted is not None
        assert restarted.log_start_offset == 1


@pytest.mark.parametrize("operation", ["stop", "shut_down"])
async def test_only_a_node_that_was_shut_down_keeps_its_place_in_the_elr(
    tmp_path: Path, operation: str
) -> None:
    """After a crash it may lack committed records (KIP-966)."""
    async with running_cluster(tmp_path, min_insync_replicas="3") as running:
        running.controller.create_topic("t", assignments=[(2, 1, 3)])
        topic = running.controller.image.topics
        await getattr(running.cluster, operation)(3)
        assert topic["t"].partitions[0].elr == (3,)

        await running.cluster.start(3)

        kept = (3,) if operation == "shut_down" else ()
        assert topic["t"].partitions[0].elr == kept


async def test_a_node_without_a_data_directory_stops(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is fenced and its connections close, as when Kafka halts; other nodes continue."""
    async with running_cluster(tmp_path) as running:
        running.controller.create_topic("t", assignments=[(2, 1, 3)])
        client = running.client(2)
        client.start(fetch_request("t", 0, max_wait_ms=10_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        _break_disk(running, 2)
        assert await client.closed()
        await trio.testing.wait_all_tasks_blocked()

        assert [_state(running, n) for n in (1, 2, 3)] == ["running", "stopped", "running"]
        assert running.controller.image.brokers[2].fenced
        (line,) = [message for message in caplog.messages if "node 2" in message]
        assert line.startswith("node 2 stops: it has no data directory left: ")
        assert "t-0: [Errno 5] broken" in line
        await running.cluster.start(2)
        assert _state(running, 2) is NodeState.RUNNING


async def test_the_last_node_without_a_data_directory_ends_the_process(tmp_path: Path) -> None:
    """The message names the directory and the reason."""

    async def lose_all() -> None:
        async with running_cluster(tmp_path, 2) as running:
            await running.cluster.stop(1)
            _break_disk(running, 2)
            await trio.sleep_forever()

    with pytest.raises(ExceptionGroup) as raised:
        await lose_all()
    (error,) = _leaves(raised.value)
    assert isinstance(error, DiskFailed)
    assert str(tmp_path / "node-2") in str(error)


async def test_topics_created_before_the_start_exist_at_the_start(tmp_path: Path) -> None:
    """They are not created in slices, which would wait for the event loop."""
    config, clock = Config(), AdjustableClock()
    controller = Controller(ControllerStore(None), config, check_topic_configs)
    network = MemoryNetwork()
    cluster = Cluster([Broker(1, "127.0.0.1", 9092)], config, clock, controller, tmp_path, network)
    cluster.steps.now_ms = count().__next__

    controller.create_topic("t", partitions=50)

    [node] = cluster.nodes
    assert len(node.replicas.partitions) == 50
    cluster.close()


def _break_disk(running: RunningCluster, node_id: int) -> None:
    (directory,) = running.node(node_id).logs.directories
    directory.disk.fail(KEY, OSError(errno.EIO, "broken"))


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in _leaves(each)]
    return [error]


async def test_a_restarted_node_has_its_records(tmp_path: Path) -> None:
    """It opens its files with a new broker epoch."""
    async with running_cluster(tmp_path) as running:
        running.controller.create_topic("t", assignments=[(2, 1, 3)])
        await running.client(2).send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        epoch = running.controller.image.brokers[2].epoch
        await running.cluster.stop(2)

        await running.cluster.start(2)

        broker = running.controller.image.brokers[2]
        assert not broker.fenced
        assert broker.epoch > epoch
        assert running.node(2).replicas.partitions[KEY].log.log_end_offset == 1


async def test_a_paused_node_that_is_restarted_is_running(tmp_path: Path) -> None:
    """A stop ends the pause."""
    async with running_cluster(tmp_path) as running:
        running.cluster.pause(2)

        await running.cluster.stop(2)
        await running.cluster.start(2)

        assert _state(running, 2) is NodeState.RUNNING


async def test_a_node_started_and_stopped_at_once_is_stopped(tmp_path: Path) -> None:
    """Its tasks have not started yet."""
    async with running_cluster(tmp_path) as running:
        await running.cluster.stop(2)

        await running.cluster.start(2)
        await running.cluster.stop(2)

        assert _state(running, 2) is NodeState.STOPPED
        await running.cluster.start(2)
        await trio.testing.wait_all_tasks_blocked()
        running.client(2).transport.close()


async def test_a_node_may_be_stopped_by_two_tasks(tmp_path: Path) -> None:
    """Both wait until it is stopped."""
    async with running_cluster(tmp_path) as running, trio.open_nursery() as nursery:
        for _ in range(2):
            nursery.start_soon(running.cluster.stop, 2)
        await trio.testing.wait_all_tasks_blocked()

        assert _state(running, 2) is NodeState.STOPPED


@pytest.mark.parametrize(("enabled", "leader"), [("true", 1), ("false", 2)])
async def test_leadership_returns_to_the_preferred_replica(
    tmp_path: Path, enabled: str, leader: int
) -> None:
    """``auto.leader.rebalance.enable``: after five minutes by default."""
    async with running_cluster(tmp_path, auto_leader_rebalance_enable=enabled) as running:
        running.controller.create_topic("t", assignments=[(1, 2, 3)])
        await running.cluster.stop(1)
        await running.cluster.start(1)
        await trio.sleep(290)
        before = running.controller.image.topics["t"].partitions[0].leader

        await trio.sleep(20)

        assert before == 2
        assert running.controller.image.topics["t"].partitions[0].leader == leader


async def test_a_node_that_fails_stops_and_the_others_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The admin interface reports the broken invariant."""
    contain_errors(monkeypatch)
    async with running_cluster(tmp_path) as running:
        running.controller.create_topic("t", assignments=[(2, 1, 3)])
        client = running.client(2)
        await _break(running, 2, InvariantBroken("the log ends too early"))

        assert await client.closed()
        assert [_state(running, n) for n in (1, 2, 3)] == ["running", "stopped", "running"]
        assert running.controller.image.brokers[2].fenced
        nodes = (await ClusterFacts(running.cluster).cluster())["nodes"]
        assert [each["failure"] for each in nodes] == [
            None,
            "InvariantBroken: the log ends too early",
            None,
        ]
        assert any("Traceback" in message for message in caplog.messages)
        await running.cluster.start(2)
        assert _state(running, 2) is NodeState.RUNNING
        assert running.cluster.members[2].failure is None


async def test_a_task_of_a_node_that_raises_ends_only_that_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example the task that accepts its connections."""
    contain_errors(monkeypatch)
    async with running_cluster(tmp_path) as running:
        await running.cluster.stop(2)

        async def serve(_node: object) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as patch:
            patch.setattr(running.network, "serve", serve)
            await running.cluster.start(2)
            await trio.testing.wait_all_tasks_blocked()

        assert [_state(running, n) for n in (1, 2, 3)] == ["running", "stopped", "running"]
        assert running.cluster.members[2].failure == "ZeroDivisionError"


async def test_the_last_node_that_fails_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is one line, and the log contains the traceback."""
    contain_errors(monkeypatch)

    async def fail() -> None:
        async with running_cluster(tmp_path, 1) as running:
            await _break(running, 1, InvariantBroken("the log ends too early"))
            await trio.sleep_forever()

    with pytest.raises(ExceptionGroup) as raised:
        await fail()
    (error,) = _leaves(raised.value)
    assert isinstance(error, NodeFailed)
    assert str(error) == "node 1 has failed: InvariantBroken: the log ends too early"


async def test_a_failed_store_of_the_controller_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exception may be raised in the work of any node."""
    contain_errors(monkeypatch)

    async def fail() -> None:
        async with running_cluster(tmp_path) as running:
            await _break(running, 2, DiskFailed("controller.db: disk is full"))
            await trio.sleep_forever()

    with pytest.raises(ExceptionGroup) as raised:
        await fail()
    (error,) = _leaves(raised.value)
    assert isinstance(error, DiskFailed)


async def _break(running: RunningCluster, node_id: int, error: Exception) -> None:
    """Let a timer task of the node raise *error*."""

    def fail() -> None:
        raise error

    schedule_once(running.node(node_id).timer, fail, delay_ms=1)
    await trio.sleep(1)
