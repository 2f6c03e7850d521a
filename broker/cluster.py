r"""The nodes of the process, which can be paused, resumed, stopped, shut down and started.

    running <--pause / resume--> paused        its followers do not fetch; its leaders continue
       |  \                        |
       |   `--- stop, shut down ---'--> stopped
       `<------------ start ---------------'       a new node opens the files of the stopped one

A stop has the effects of ``kill -9``: nothing is flushed, and then the node is fenced, while
Kafka's controller waits for its session to time out. A node that is shut down is fenced first, so
that others lead its partitions, and then flushes its files. A node stops by itself when all of its
data directories have failed, as Kafka halts, or when an exception ends it (see
`broker.common.unexpected_errors`); the end of the last node ends the process.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import trio

from broker.api.faults.possible import possible_matches
from broker.api.request_counts import RequestCounts
from broker.cluster_member import Member
from broker.common.adjustable_clock import AdjustableClock
from broker.common.choices import no_such_node
from broker.common.clock import Clock
from broker.common.errors import DiskFailed, NoSuchNode, WrongState
from broker.common.state_changes import StateChanges
from broker.common.timer import new_timer
from broker.common.topic_partition import TopicPartition
from broker.common.unexpected_errors import UnexpectedErrors, is_strict
from broker.config import Config
from broker.config.node_settings import Address, node_settings
from broker.controller.controller import Controller
from broker.controller.links.sessions import BrokerSessions
from broker.controller.metadata.image import Broker
from broker.controller.periodic_elections import schedule_elections
from broker.controller.token_expiration import schedule_token_expiration
from broker.faults.fault_rules import FaultRules
from broker.links.link_fault import apply_link_rules
from broker.links.links import Links
from broker.network.serving.serving_task import ServingTask
from broker.network.transports.transport import Transport
from broker.node import Node
from broker.node_faults import NodeFaults
from broker.node_shared_parts import SharedParts
from broker.replication.holds import Holds
from broker.steps.measured_loop import measured_loop
from broker.steps.offload import Inline, Offload
from broker.steps.queue import StepQueue
from broker.steps.stalls import Stalls
from broker.storage.files.disk import DiskFile
from broker.storage.files.open_files import OpenFiles
from broker.wait_records.interruptions import PAUSED, STOPPED, Interruptions
from broker.wait_records.recorder import Recorder
from purgatories.timer.trio_reaper import run_reaper

logger = logging.getLogger(__name__)


class Network(Protocol):
    """Connects clients to nodes, and nodes to each other."""

    def listening(self, broker: Broker) -> Mapping[str, Address]:
        """The addresses at which the node listens, by listener."""
        ...

    async def connect(self, host: str, port: int) -> Transport:
        """A connection to the node with that address for other nodes; raises OSError."""
        ...

    async def serve(self, node: Node) -> None:
        """Accept and serve connections to the node, until cancelled."""
        ...


class Cluster:
    """All nodes, created together; each directory of ``data_dir`` has a folder for each node.

    ``machine`` measures the steps of the event loop, if ``clock`` can be adjusted.
    """

    def __init__(
        self,
        brokers: Sequence[Broker],
        config: Config,
        clock: AdjustableClock,
        controller: Controller,
        data_dir: Path | Sequence[Path],
        network: Network,
        *,
        machine: Clock | None = None,
        durable: bool = False,
        recorder: Recorder | None = None,
        offload: Offload | None = None,
    ) -> None:
        self.config = config
        self.recorder = recorder
        if recorder is not None:
            recorder.transactional_id = self.transactional_id
        self.clock, self.machine = clock, machine or clock
        self.controller = controller
        self.changes = StateChanges()
        self.request_counts = RequestCounts()
        self.unexpected_errors = UnexpectedErrors("the cluster")
        on_error = self.unexpected_errors.elsewhere
        self.steps = StepQueue(self.machine.now_ms, on_error)
        self.stalls = Stalls(self.machine.wall_us_at) if recorder is None else recorder.stalls
        self._interruptions = (
            Interruptions(clock.now_ms) if recorder is None else recorder.interruptions
        )
        # For timer tasks that continue when a node is stopped, like those of the admin interface.
        self.timer = new_timer("cluster", clock.now_ms, on_error)
        schedule_elections(self.timer, controller, config)
        schedule_token_expiration(self.timer, controller, config, clock)
        self.members = {broker.node_id: Member(broker) for broker in brokers}
        self.faults = FaultRules(
            self.timer,
            lambda: clock.wall_us_at(clock.now_ms()),
            self.changes,
            possible_matches(config, self.members),
            controller.image.copy,
        )
        self.links = Links(self.timer)
        self._sessions = BrokerSessions(self.links, controller, self.timer, self.members, config)
        apply_link_rules(self.faults, self.links)
        self.holds = Holds(self.faults, self._holds_changed)
        self.faults.change_node = NodeFaults(self, self.timer, self._spawn)
        self._data_dirs = [data_dir] if isinstance(data_dir, Path) else data_dir
        self._network = network
        self._shared = self._shared_parts(offload or Inline(), durable)
        self._nursery: trio.Nursery | None = None
        self._create_nodes()

    def _shared_parts(self, offload: Offload, durable: bool) -> SharedParts:
        return SharedParts(
            clock=self.clock,
            controller=self.controller,
            connect=self._network.connect,
            serving=ServingTask(self.machine.now_ms),
            changes=self.changes,
            request_counts=self.request_counts,
            recorder=self.recorder,
            steps=self.steps,
            offload=offload,
            faults=self.faults,
            links=self.links,
            holds=self.holds,
            # The number of descriptors is a limit of the process, not of a node.
            open_files=OpenFiles[DiskFile](),
            durable=durable,
        )

    def _create_nodes(self) -> None:
        """Create all nodes; if one of them fails, close the others."""
        with ExitStack() as undo, self.controller.starting():
            for member in self.members.values():
                node = self._node(member)
                undo.callback(node.close)
                member.begin(node)
            undo.pop_all()

    @property
    def nodes(self) -> list[Node]:
        """The nodes that are not stopped."""
        return [member.node for member in self.members.values() if member.node is not None]

    def transactional_id(self, producer_id: int) -> str | None:
        """The transactional id with that producer id; None if no running node coordinates it."""
        for node in self.nodes:
            name = node.transactions.states.transactional_id(producer_id)
            if name is not None:
                return name
        return None

    async def run(self) -> None:
        """Run all nodes, including those started later, until cancelled."""
        async with trio.open_nursery() as self._nursery:
            with measured_loop(self.steps, self.stalls, self.machine.now_ms):
                self.controller.steps = self.steps
                await self._nursery.start(self._shared.offload.serve)
                self._nursery.start_soon(self._serve)
                for member in self.members.values():
                    self._nursery.start_soon(self._run, member)
                self._nursery.start_soon(self.steps.run)
                await run_reaper(self.timer, None, self.clock.seconds_until)

    def _spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        assert self._nursery is not None
        self._nursery.start_soon(task)

    def close(self) -> None:
        """Close all running nodes in an orderly way."""
        for node in self.nodes:
            node.close()

    # ------------------------------------------------------------------ appends without a client

    def partition_count(self, topic: str) -> int:
        """How many partitions a topic has; 0 if it does not exist."""
        known = self.controller.image.topic(topic)
        return 0 if known is None else len(known.partitions)

    def append(self, key: TopicPartition, batch: bytes) -> bool | None:
        """Append a batch with ``acks=1``; False if it is refused, None if no leader runs."""
        topic = self.controller.image.topic(key.topic)
        assert topic is not None
        member = self.members.get(topic.partitions[key.partition].leader)
        if member is None or member.node is None:
            return None
        return not member.node.replicas.append_batch(key, batch)

    # ----------------------------------------------------------------------------- one node

    def node(self, node_id: int) -> Node:
        """A node that is not stopped; raises `NoSuchNode`, `WrongState`."""
        node = self._member(node_id).node
        if node is None:
            raise WrongState(f"node {node_id} is stopped; start it first")
        return node

    def pause(self, node_id: int) -> None:
        """Stop the fetching of the node's followers; raises `NoSuchNode`, `WrongState`."""
        node = self.node(node_id)
        if node.replication.paused:
            raise WrongState(f"node {node_id} is paused already")
        node.replication.pause()
        self._interruptions.begin(node_id, PAUSED)
        self.changes.notify()

    def resume(self, node_id: int) -> None:
        """Continue the fetching of the node's followers; raises `NoSuchNode`, `WrongState`."""
        node = self.node(node_id)
        if not node.replication.paused:
            raise WrongState(f"node {node_id} is not paused")
        node.replication.resume()
        self._interruptions.end(node_id)
        self.changes.notify()

    async def stop(self, node_id: int) -> None:
        """Stop the node as a crash does; raises `NoSuchNode`, `WrongState`."""
        self.node(node_id)
        member = self._member(node_id)
        member.scope.cancel()
        await member.ended.wait()

    async def shut_down(self, node_id: int) -> None:
        """Stop the node after others lead its partitions, as a signal stops a broker of Kafka.

        Its files are flushed, and have a mark of an orderly end. Raises `NoSuchNode`, `WrongState`.
        Kafka's controlled shutdown (``BrokerServer.shutdown``).
        """
        self.node(node_id)
        member = self._member(node_id)
        member.is_shut_down = True
        moved = trio.Event()
        self.controller.expire_session(node_id).when_set(moved.set)
        try:
            await moved.wait()
        finally:
            member.scope.cancel()
        await member.ended.wait()

    async def start(self, node_id: int) -> None:
        """Start a stopped node; raises `NoSuchNode`, `WrongState`, `StartupError`."""
        member = self._member(node_id)
        if member.node is not None:
            raise WrongState(f"node {node_id} is {member.state}; only a stopped one can be started")
        self._sessions.check_may_register(node_id)
        assert self._nursery is not None
        member.begin(self._node(member))
        self._interruptions.end(node_id)
        self._nursery.start_soon(self._run, member)
        self.changes.notify()

    def _member(self, node_id: int) -> Member:
        member = self.members.get(node_id)
        if member is None:
            raise NoSuchNode(no_such_node(node_id, self.members))
        return member

    def _node(self, member: Member) -> Node:
        broker = member.broker
        data_dirs = [path / f"node-{broker.node_id}" for path in self._data_dirs]
        listening = self._network.listening(broker)
        settings = node_settings(
            broker.node_id, listening, broker.endpoints, data_dirs, broker.rack
        )
        return Node(broker, self.config.of_node(settings), data_dirs, self._shared)

    async def _serve(self) -> None:
        """Serve the connections of all nodes; without that none of them can continue."""
        try:
            await self._shared.serving.run()
        except Exception as error:
            self._check_contained(error)
            for member in self.members.values():
                if member.node is not None:
                    member.failed(error)

    async def _run(self, member: Member) -> None:
        node = member.node
        assert node is not None
        try:
            with member.scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(node.run)
                    nursery.start_soon(self._network.serve, node)
        except Exception as error:
            self._check_contained(error)
            member.failed(error)
        # Reached when this node has stopped. A cancelled cluster leaves by an exception above.
        is_orderly = member.is_shut_down and member.failure is None
        try:
            if is_orderly:
                node.close()
            else:
                node.crash()
        except Exception as error:
            self._check_contained(error)
            member.failed(error)
        member.node = None
        self._interruptions.begin(node.id, STOPPED)
        self.changes.notify()
        if member.failure is not None:
            if not self.nodes:  # the process ends, and reports the reason itself
                assert member.fatal is not None
                raise member.fatal
            logger.error("node %d stops: %s", node.id, member.failure)
        self._sessions.stopped(node.id)
        self.controller.fence(node.id).when_set(member.ended.set)

    def _holds_changed(self) -> None:
        for node in self.nodes:
            node.replication.holds_changed()
        self.changes.notify()

    def _check_contained(self, error: Exception) -> None:
        """Raise an error of the controller's disk; in strict mode raise any error."""
        group = ExceptionGroup("", [error])
        if is_strict() or group.subgroup(DiskFailed) is not None:
            raise error
