"""One run: a cluster, the steps of its plan, checks after each step, and a final check."""

from __future__ import annotations

from pathlib import Path

import trio
import trio.testing

from broker.cluster import Cluster
from broker.common.adjustable_clock import AdjustableClock
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config, Setting
from broker.config.topics import check_topic_configs
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import Broker, PartitionRegistration
from broker.controller.partitions.partition_change import Election
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.steps.queue import finish
from broker.transactions.state_topic import transaction_state_topic
from tests.client import EPOCH_MS
from tests.simulation.caught_up import CaughtUpRule
from tests.simulation.clients import Clients
from tests.simulation.connections import Connections
from tests.simulation.faults import Faults
from tests.simulation.history import History
from tests.simulation.lagging import LaggingRule
from tests.simulation.network import SlowNetwork
from tests.simulation.plan import Plan, draw
from tests.simulation.playing import Result, play_run
from tests.simulation.responses import check_final_state
from tests.simulation.rules import TOPIC, Rules
from tests.simulation.steps import (
    AddLinkRule,
    Delete,
    DeleteTopic,
    Disconnect,
    Fault,
    LoseTail,
    MakeLeader,
    Move,
    Produce,
    Read,
    Role,
    Step,
)
from tests.simulation.transactions.traffic import TransactionalTraffic
from tests.simulation.violation import Violation
from tests.simulation.watch import watched

HEALING_MS = 30_000


class Run:
    """The parts of a run."""

    def __init__(self, plan: Plan, directory: Path) -> None:
        self.plan = plan
        self.history = History()
        self.network = SlowNetwork(plan.seed, plan.latency_max_ms)
        self._clock = AdjustableClock(EPOCH_MS)
        self.cluster = _cluster(plan, directory, self._clock, self.network)
        self.rules = Rules(self.cluster, plan.keys)
        self.connections = Connections(self.cluster, self.network, self.history)
        self.clients = Clients(plan, self.cluster, self.connections, self.rules, self.history)
        self._faults = Faults(self.cluster, self.network, directory, self.rules)
        self._transactions: TransactionalTraffic | None = None
        if plan.transactions is not None:
            self._transactions = TransactionalTraffic(
                plan.transactions,
                self.cluster,
                self.connections,
                self.rules,
                self.history,
                plan.seed,
            )
        lag_max_ms = int(plan.config["replica.lag.time.max.ms"])
        is_disturbed = self._faults.is_disturbed
        self._lagging = LaggingRule(self.cluster, self.rules.keys, lag_max_ms, is_disturbed)
        self._caught_up = CaughtUpRule(self.cluster, lag_max_ms, is_disturbed)
        self._role_nodes: dict[int, list[int]] = {}

    async def play(self) -> None:
        """Follow the plan; raises `Violation`."""
        try:
            with watched(self.rules, self._caught_up, self._log):
                await self._play()
        finally:
            self.cluster.close()
            self.cluster.controller.close()

    async def _play(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.network.delays.run)
            nursery.start_soon(self.cluster.run)
            await trio.testing.wait_all_tasks_blocked()
            self._create_topics()
            nursery.start_soon(self._watch)
            for number in range(self.plan.producers):
                nursery.start_soon(self.clients.idempotent_producer, number)
            if self._transactions is not None:
                self._transactions.start(nursery)
            for step in self.plan.steps:
                await trio.sleep_until(step.at_ms / 1000)
                await self._do(step, nursery)
            await self._end()
            nursery.cancel_scope.cancel()

    def _create_topics(self) -> None:
        nodes, factor = self.plan.nodes, self.plan.replication_factor
        assignments = [
            tuple((nodes * 2)[first : first + factor])
            for first in (index % len(nodes) for index in range(self.plan.partitions))
        ]
        controller, config = self.cluster.controller, self.cluster.config
        controller.create_topic(TOPIC, assignments=assignments)
        if self.plan.transactions is not None:
            for name in self.plan.transactions.temporary:
                controller.create_topic(name, assignments=assignments[:1])
        if self._transactions is not None:
            ensure_internal_topic(controller, transaction_state_topic(config))
            ensure_internal_topic(controller, offsets_topic(config))

    def _log(self, text: str) -> None:
        self.history.log(self._clock.now_ms(), text)

    async def _watch(self) -> None:
        """Check the rules after each state change."""
        while True:
            await self.cluster.changes.wait()
            self.rules.check()

    # -------------------------------------------------------------------------------- the steps

    async def _do(self, step: Step, nursery: trio.Nursery) -> None:
        if isinstance(step, Produce):
            nursery.start_soon(self.clients.produce, step)
            return
        if isinstance(step, Read):
            nursery.start_soon(self.clients.read, step)
            return
        if isinstance(step, Delete):
            nursery.start_soon(self.clients.delete, step)
            return
        self._log(f"* {_describe(step)}")
        await self._disturb(step)
        self.rules.check_all()
        if self._transactions is not None:
            self.rules.check_transactions()
            self._transactions.check()
        self._lagging.check()

    async def _disturb(self, step: Step) -> None:
        """Apply a fault, or do what an operator does."""
        if isinstance(step, Fault):
            await self._faults.apply(step.kind, self._node(step.node))
        elif isinstance(step, LoseTail):
            self._faults.lose(self._node(step.node), step.part)
        elif isinstance(step, Move):
            self._move(step.partition, tuple(map(self._node, step.replicas)))
        elif isinstance(step, MakeLeader):
            self._make_leader(step.node)
        elif isinstance(step, DeleteTopic):
            self._delete_topic()
        elif isinstance(step, AddLinkRule):
            self._faults.add_link_rule(step.rule)
        elif isinstance(step, Disconnect):
            port = self.cluster.members[step.node].broker.port
            self.network.lose(port, step.chance)

    def _node(self, role: int | Role) -> int:
        """The node of a role; the roles of a scene are assigned when it begins."""
        if isinstance(role, int):
            return role
        if role.scene not in self._role_nodes:
            known = self._registration(self.rules.keys[role.partition])
            self._role_nodes[role.scene] = sorted(
                self.plan.nodes,
                key=lambda node: (
                    node != known.leader,
                    node not in known.replicas,
                    node not in known.isr,
                ),
            )
        return self._role_nodes[role.scene][role.rank]

    def _delete_topic(self) -> None:
        """Delete the next temporary topic, if there is one."""
        assert self.plan.transactions is not None
        controller = self.cluster.controller
        for name in self.plan.transactions.temporary:
            if controller.topic(name) is not None:
                controller.delete_topic(name)
                return

    def _make_leader(self, role: Role) -> None:
        """Make the node the preferred replica and elect it, if it is a replica."""
        first, replicas = (
            self._node(role),
            self._registration(self.rules.keys[role.partition]).replicas,
        )
        if first in replicas:
            others = tuple(node for node in replicas if node != first)
            self._move(role.partition, (first, *others))

    def _move(self, partition: int, replicas: tuple[int, ...]) -> None:
        """Reassign the partition as far as the controller allows, since nodes may be down.

        An eligible replica that is removed stays eligible, in Kafka and here, and would lead with
        an empty log if it were added again: such a reassignment is skipped.
        """
        key, controller = self.rules.keys[partition], self.cluster.controller
        known = self._registration(key)
        if set(known.elr) & set(replicas) - set(known.replicas):
            self._log(f"  skipped: {known.elr} are eligible")
            return
        try:
            controller.reassign(key, replicas)
        except ApiError as error:
            self._log(f"  {error.code.name}")
        finish(controller.elect_leaders(Election.PREFERRED, [key]))

    # ---------------------------------------------------------------------------------- the end

    async def _end(self) -> None:
        self._log("* heal")
        await self._faults.heal()
        if any(map(self._is_stranded, self.rules.keys)):
            self._log("* no node can lead, so nothing more can be checked")
            return
        self.clients.is_over = True
        if self._transactions is not None:
            self._transactions.finish()
        await self._healed()
        for index in range(self.plan.partitions):
            last = Produce(0, index, acks=-1, count=1, timeout_ms=5000, stale=None)
            if not (await self.clients.produce(last)).acknowledged:
                raise Violation(f"a healed cluster does not acknowledge in partition {index}")
            if self._deletes() and not await self.clients.delete(Delete(0, index, 0.5, 5000)):
                raise Violation(f"a healed cluster does not delete in partition {index}")
        if self._transactions is not None:
            await self._transactions.commit_last()
            self._transactions.finish_readers()
        await self._healed()
        self.rules.check_all()
        if self._transactions is not None:
            self.rules.check_transactions()
            await self._transactions.check_final_state()
        self.connections.check_no_extra_responses()
        check_final_state(self.rules, self.history.sent, deletions=self._deletes())

    async def _healed(self) -> None:
        deadline = trio.current_time() + HEALING_MS / 1000
        while missing := self._not_healed():
            if trio.current_time() > deadline:
                raise Violation(f"{HEALING_MS} ms after all faults were undone: {missing}")
            self._cancel_stuck_reassignments()
            await trio.sleep(0.25)
            self.rules.check()

    def _is_stranded(self, key: TopicPartition) -> bool:
        """Whether only removed replicas are eligible to lead; Kafka's controller waits for them."""
        known = self._registration(key)
        return not known.isr and bool(known.elr) and not set(known.elr) & set(known.replicas)

    def _cancel_stuck_reassignments(self) -> None:
        """Cancel reassignments that cannot end.

        A replica that one reassignment adds and the next one removes, without adding another:
        Kafka's controller waits until it is in sync, which it never permits, and so does this one.
        """
        controller = self.cluster.controller
        for key, moving in controller.reassignments().items():
            if set(moving.adding_replicas) & set(moving.removing_replicas):
                try:
                    controller.reassign(key, None)
                except ApiError as error:
                    self._log(f"  {error.code.name}")

    def _not_healed(self) -> str | None:
        """The first deviation from a healthy cluster; None if there is none."""
        if waiting := self.clients.in_progress + self.connections.in_progress:
            return f"{waiting} requests and producers wait"
        if self._transactions is not None and (waiting := self._transactions.in_progress):
            return f"{waiting} transactional producers and readers wait"
        for key in self.rules.keys:
            registration = self._registration(key)
            if set(registration.isr) != set(registration.replicas):
                return f"{key}: the ISR is {registration.isr} of {registration.replicas}"
            if registration.adding_replicas or registration.removing_replicas:
                return f"{key}: a reassignment does not end"
            offsets = set()
            for node_id in registration.replicas:
                log = self.cluster.node(node_id).replicas.partitions[key].log
                offsets.add((log.log_end_offset, log.high_watermark, log.last_stable_offset))
            if len(offsets) > 1 or any(len(set(of_replica)) > 1 for of_replica in offsets):
                return f"{key}: log ends, high watermarks and stable offsets are {sorted(offsets)}"
        return None

    def _registration(self, key: TopicPartition) -> PartitionRegistration:
        topic = self.cluster.controller.topic(key.topic)
        assert topic is not None
        return topic.partitions[key.partition]

    def _deletes(self) -> bool:
        """Whether records are deleted, so that producer state may be lost with them."""
        return "log.retention.ms" in self.plan.config or any(
            isinstance(step, Delete) for step in self.plan.steps
        )


def _cluster(plan: Plan, directory: Path, clock: AdjustableClock, network: SlowNetwork) -> Cluster:
    settings = (Setting(key, value, "plan") for key, value in plan.config.items())
    config = Config.from_settings(settings)
    return Cluster(
        [Broker(node, "127.0.0.1", 9091 + node) for node in plan.nodes],
        config,
        clock,
        Controller(ControllerStore(None), config, check_topic_configs),
        directory,
        network,
    )


def _describe(step: Step) -> str:
    fields = {name: value for name, value in vars(step).items() if name != "at_ms"}
    return f"{type(step).__name__.lower()} {fields}"


def play(seed: int) -> Result:
    """Draw a plan and follow it in virtual time."""
    return play_run(seed, lambda directory: Run(draw(seed), directory))
