"""One run with a share group: a cluster, members, the steps of the plan, and the final checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
from broker.controller.metadata.image import Broker
from broker.controller.partitions.partition_change import Election
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.state_topic import share_state_topic
from broker.steps.queue import finish
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.batches import batch
from tests.client import EPOCH_MS
from tests.simulation.connections import Connections
from tests.simulation.history import History
from tests.simulation.network import SlowNetwork
from tests.simulation.playing import Result, play_run
from tests.simulation.share_groups.faults import ShareFaults
from tests.simulation.share_groups.ledger import Ledger
from tests.simulation.share_groups.member import Member
from tests.simulation.share_groups.plan import GROUP, NODES, TOPIC, SharePlan, draw
from tests.simulation.share_groups.steps import (
    Append,
    CutLink,
    DeleteRecords,
    Lead,
    MendLinks,
)
from tests.simulation.share_groups.watch import watched
from tests.simulation.steps import Disconnect, Fault, Step
from tests.simulation.violation import Violation

PRODUCE_VERSION = 9
CHECK_MS = 50
# The persister repeats a call for 63 s; locks end, and records are delivered again.
HEALING_MS = 150_000
SENDS_MAX = 100_000


class ShareRun:
    """The parts of a run."""

    def __init__(self, plan: SharePlan, directory: Path) -> None:
        self.plan = plan
        self.history = History()
        self._network = SlowNetwork(plan.seed, plan.latency_max_ms, SENDS_MAX)
        self._clock = AdjustableClock(EPOCH_MS)
        self._cluster = _cluster(plan, directory, self._clock, self._network)
        self._connections = Connections(self._cluster, self._network, self.history)
        self._faults = ShareFaults(self._cluster, self._network)
        self._ledger = Ledger(
            self._clock.now_ms, plan.lock_duration_ms, plan.delivery_count_limit, plan.partitions
        )
        self._members: list[Member] = []
        self._broken: Violation | None = None

    async def play(self) -> None:
        """Follow the plan; raises `Violation`."""
        try:
            with watched(self._ledger, self._log, self._break):
                await self._play()
        finally:
            self._cluster.close()
            self._cluster.controller.close()

    async def _play(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._network.delays.run)
            nursery.start_soon(self._cluster.run)
            await trio.testing.wait_all_tasks_blocked()
            self._create_topics()
            nursery.start_soon(self._watch)
            for member in self._members:
                nursery.start_soon(member.run)
            for step in self.plan.steps:
                await trio.sleep_until(step.at_ms / 1000)
                await self._do(step, nursery)
            await self._end()
            nursery.cancel_scope.cancel()

    def _create_topics(self) -> None:
        plan, controller = self.plan, self._cluster.controller
        controller.alter_group_configs(GROUP, lambda _: {"share.auto.offset.reset": "earliest"})
        orders = ((1, 2, 3), (2, 3, 1), (3, 1, 2))
        topic = controller.create_topic(
            TOPIC, assignments=[orders[each % 3] for each in range(plan.partitions)]
        )
        ensure_internal_topic(controller, offsets_topic(self._cluster.config))
        ensure_internal_topic(controller, share_state_topic(self._cluster.config))
        for number in range(plan.members):
            self._members.append(
                Member(
                    number,
                    plan,
                    self._cluster,
                    self._network,
                    self._connections,
                    self._ledger,
                    topic.topic_id,
                    self._members,
                )
            )
        self._topic_id = topic.topic_id

    def _log(self, text: str) -> None:
        self.history.log(self._clock.now_ms(), text)

    def _break(self, violation: Violation) -> None:
        self._broken = self._broken or violation

    async def _watch(self) -> None:
        while True:
            await trio.sleep(CHECK_MS / 1000)
            self._check()

    def _check(self) -> None:
        if self._broken is not None:
            raise self._broken
        for node in self._cluster.nodes:
            for share_partition in node.share_groups.partitions.partitions.by_key.values():
                self._ledger.check(share_partition)

    # -------------------------------------------------------------------------------- the steps

    async def _do(self, step: Step, nursery: trio.Nursery) -> None:
        if isinstance(step, Append):
            nursery.start_soon(self._append, step)
            return
        self._log(f"* {step}")
        if isinstance(step, Fault):
            assert isinstance(step.node, int)
            await self._faults.apply(step.kind, step.node)
        elif isinstance(step, Disconnect):
            self._faults.disconnect(step.node, step.chance)
        elif isinstance(step, CutLink):
            self._faults.cut(step.one, step.other)
        elif isinstance(step, MendLinks):
            self._faults.mend()
        elif isinstance(step, Lead):
            self._lead(TopicPartition(step.topic, step.partition), step.node)
        else:
            assert isinstance(step, DeleteRecords)
            self._delete(step)
        self._check()

    async def _append(self, step: Append) -> None:
        """Send a batch once; its outcome may remain unknown."""
        key = TopicPartition(TOPIC, step.partition)
        sent = self.history.send(key, step.count, -1)
        records = batch(*sent.values, timestamp=int(EPOCH_MS + self._clock.now_ms()))
        data = PartitionProduceData(index=step.partition, records=records)
        request = ProduceRequest(
            acks=-1,
            timeout_ms=1000,
            topic_data=[TopicProduceData(name=TOPIC, partition_data=[data])],
        )
        await self._connections.exchange(
            f"append {step.count} to {key}", request, PRODUCE_VERSION, self._leader(key), limit_s=5
        )

    def _lead(self, key: TopicPartition, node: int) -> None:
        """Make a node the preferred leader, and elect it if it is in sync."""
        controller = self._cluster.controller
        try:
            controller.reassign(key, (node, *(each for each in NODES if each != node)))
        except ApiError as error:
            self._log(f"  {error.code.name}")
        finish(controller.elect_leaders(Election.PREFERRED, [key]))

    def _delete(self, step: DeleteRecords) -> None:
        """Delete records as retention does, at the leader."""
        key = TopicPartition(TOPIC, step.partition)
        member = self._cluster.members.get(self._leader(key))
        if member is None or member.node is None:
            return
        partition = member.node.replication.partitions[key]
        try:
            partition.delete_records(int(step.part * partition.log.high_watermark))
        except ApiError as error:
            self._log(f"  {error.code.name}")

    def _leader(self, key: TopicPartition) -> int:
        return self._connections.leader(key)

    # ---------------------------------------------------------------------------------- the end

    async def _end(self) -> None:
        self._log("* heal")
        await self._faults.heal()
        for member in self._members:
            member.is_over = True
        await self._drained()
        # What was accepted stays so with other leaders, which read the stored state.
        for partition in range(self.plan.partitions):
            key = TopicPartition(TOPIC, partition)
            self._lead(key, self._leader(key) % len(NODES) + 1)
        await trio.sleep(2)
        await self._drained()
        for partition in range(self.plan.partitions):
            log = self._leading_log(partition)
            assert log is not None
            self._ledger.check_end(partition, log.log_start_offset, log.high_watermark)

    async def _drained(self) -> None:
        deadline = trio.current_time() + HEALING_MS / 1000
        while missing := self._not_drained():
            if trio.current_time() > deadline:
                raise Violation(f"{HEALING_MS} ms after all faults were undone: {missing}")
            await trio.sleep(0.25)
            self._check()

    def _leading_log(self, partition: int) -> Any:
        key = TopicPartition(TOPIC, partition)
        member = self._cluster.members.get(self._leader(key))
        if member is None or member.node is None:
            return None
        found = member.node.replication.partitions.get(key)
        return None if found is None or found.leader_state is None else found.log

    def _not_drained(self) -> str | None:
        """The first partition with records that were not dealt with; None if there is none."""
        for partition in range(self.plan.partitions):
            log = self._leading_log(partition)
            if log is None:
                return f"{partition} has no leader"
            node = self._cluster.node(self._leader(TopicPartition(TOPIC, partition)))
            key = SharePartitionKey(GROUP, self._topic_id, partition)
            found = node.share_groups.partitions.partitions.by_key.get(key)
            if found is None:
                return f"{partition} is not in use"
            records = found.records
            if records.count or records.start_offset < log.high_watermark < log.log_end_offset:
                return f"{partition} has records from {records.start_offset} on in flight"
            if records.start_offset != log.log_end_offset:
                return f"{partition} is at {records.start_offset} of {log.log_end_offset}"
        return None


def _cluster(
    plan: SharePlan, directory: Path, clock: AdjustableClock, network: SlowNetwork
) -> Cluster:
    values = plan.config | {
        "share.coordinator.state.topic.num.partitions": str(plan.state_partitions)
    }
    config = Config.from_settings(Setting(key, value, "plan") for key, value in values.items())
    return Cluster(
        [Broker(node, "127.0.0.1", 9091 + node) for node in NODES],
        config,
        clock,
        Controller(ControllerStore(None), config, check_topic_configs),
        directory,
        network,
    )


def play_plan(plan: SharePlan) -> Result:
    """Follow a plan in virtual time."""
    return play_run(plan.seed, lambda directory: ShareRun(plan, directory))


def play(seed: int) -> Result:
    """Draw a plan and follow it in virtual time."""
    return play_plan(draw(seed))
