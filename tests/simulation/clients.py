"""The clients of a run: each request on a connection of its own, which stays open.

So an answer that nobody asked for would be seen. A client whose connection is lost knows nothing of
what it had sent, and an idempotent producer asks again until it does.
"""

from __future__ import annotations

from random import Random
from typing import Any

import trio

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.network.transport import Disconnected
from protocol.errors import ErrorCode
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.batches import batch
from tests.client import EPOCH_MS, Client
from tests.simulation.answers import Asked, check_deleted, check_fetched, check_produced
from tests.simulation.history import History, Sent
from tests.simulation.network import SlowNetwork
from tests.simulation.plan import Plan
from tests.simulation.rules import Rules
from tests.simulation.steps import Delete, Produce, Read
from tests.simulation.violation import Violation

PRODUCE_VERSION = 9
DELETE_VERSION = 2
RETRY_MS = 70


class Clients:
    """Sends what the plan says, and checks every answer."""

    def __init__(
        self, plan: Plan, cluster: Cluster, network: SlowNetwork, rules: Rules, history: History
    ) -> None:
        self.at_work = 0
        self.is_over = False
        self._plan = plan
        self._cluster = cluster
        self._network = network
        self._rules = rules
        self._history = history
        self._connections: list[Client] = []
        self._min_isr = min(int(plan.config["min.insync.replicas"]), plan.replication_factor)

    # -------------------------------------------------------------------------------- requests

    async def produce(self, step: Produce) -> Sent:
        """Send a batch once."""
        sent = self._history.send(self._key(step.partition), step.count, step.acks)
        records = batch(*sent.values, timestamp=self._wall_ms())
        error = await self._produce(sent, records, step.timeout_ms, step.stale)
        sent.refused = error is ErrorCode.NOT_ENOUGH_REPLICAS
        return sent

    async def _produce(
        self, sent: Sent, records: bytes, timeout_ms: int, node_id: int | None
    ) -> ErrorCode | None:
        """Send a batch to a node, or to the leader; its error, or None if that is not known."""
        data = PartitionProduceData(index=sent.key.partition, records=records)
        request = ProduceRequest(
            acks=sent.acks,
            timeout_ms=timeout_ms,
            topic_data=[TopicProduceData(name=sent.key.topic, partition_data=[data])],
        )
        wait_ms = timeout_ms if sent.acks == -1 else 0
        told = f"produce {_values(sent.values)} acks {sent.acks} to {sent.key}"
        asked, response = await self._ask(
            told, request, PRODUCE_VERSION, sent.key, node_id, wait_ms, answered=sent.acks != 0
        )
        if response is None or asked is None:
            return None
        [topic] = response.responses
        [answer] = topic.partition_responses
        self._tell(f"{asked.who}: {ErrorCode(answer.error_code).name} at {answer.base_offset}")
        check_produced(
            asked, self._rules, sent, answer.error_code, answer.base_offset, self._min_isr
        )
        if not answer.error_code:
            sent.base_offset = answer.base_offset
            sent.acknowledged = sent.acks == -1
        return ErrorCode(answer.error_code)

    async def read(self, step: Read) -> None:
        """Fetch once."""
        key = self._key(step.partition)
        offset = int(step.whence * self._rules.committed[key].end)
        asked_for = FetchPartition(
            partition=key.partition, fetch_offset=offset, partition_max_bytes=1 << 20
        )
        request = FetchRequest(
            max_wait_ms=step.max_wait_ms,
            min_bytes=1,
            topics=[FetchTopic(topic=key.topic, partitions=[asked_for])],
        )
        told = f"fetch v{step.version} {key} from {offset}"
        asked, response = await self._ask(
            told, request, step.version, key, step.node, step.max_wait_ms
        )
        if response is None or asked is None:
            return
        [topic] = response.responses
        [data] = topic.partitions
        size = len(data.records or b"")
        self._tell(
            f"{asked.who}: {ErrorCode(data.error_code).name}, {size} bytes, high watermark "
            f"{data.high_watermark}"
        )
        check_fetched(asked, self._rules, offset, data)

    async def delete(self, step: Delete) -> bool:
        """Delete once; whether it is done."""
        key = self._key(step.partition)
        offset = int(step.part * self._rules.committed[key].end)
        partition = DeleteRecordsPartition(partition_index=key.partition, offset=offset)
        request = DeleteRecordsRequest(
            topics=[DeleteRecordsTopic(name=key.topic, partitions=[partition])],
            timeout_ms=step.timeout_ms,
        )
        told = f"delete {key} below {offset}"
        leader = self._leader(key)
        living = self._rules.living(leader, key)
        asked, response = await self._ask(
            told, request, DELETE_VERSION, key, leader, step.timeout_ms
        )
        if response is None or asked is None:
            return False
        [topic] = response.topics
        [answer] = topic.partitions
        self._tell(f"{asked.who}: {ErrorCode(answer.error_code).name}, {answer.low_watermark}")
        living &= self._rules.living(leader, key)
        check_deleted(asked, offset, answer.error_code, answer.low_watermark, living)
        return not answer.error_code

    # ---------------------------------------------------------------------------------- for long

    async def idempotent_producer(self, number: int) -> None:
        """Send one batch after the other, each until it is acknowledged, and in its order."""
        random = Random(f"producer {self._plan.seed} {number}")
        producer_id = self._cluster.controller.next_producer_id()
        sequences = [0] * self._plan.partitions
        self.at_work += 1
        while not self.is_over:
            await trio.sleep(random.uniform(0.02, 0.8))
            index = random.randrange(self._plan.partitions)
            count = random.choice((1, 2))
            sent = self._history.send(self._key(index), count, -1)
            records = batch(
                *sent.values,
                timestamp=self._wall_ms(),
                producer_id=producer_id,
                producer_epoch=0,
                base_sequence=sequences[index],
            )
            while not sent.acknowledged:
                await self._produce(sent, records, random.choice((300, 2000)), None)
                if not sent.acknowledged:
                    await trio.sleep(RETRY_MS / 1000)
            sequences[index] += count
        self.at_work -= 1

    # --------------------------------------------------------------------------------- the rest

    def check_silence(self) -> None:
        """Nobody was answered twice."""
        for client in self._connections:
            if client.transport.incoming:
                raise Violation("a client got an answer that it had not asked for")

    async def _ask(
        self,
        told: str,
        request: Any,
        version: int,
        key: TopicPartition,
        node_id: int | None,
        wait_ms: float,
        *,
        answered: bool = True,
    ) -> tuple[Asked | None, Any]:
        """Ask a node or the leader; who asked, and the answer if there was one."""
        node_id = self._leader(key) if node_id is None else node_id
        client = self._connect(node_id)
        if client is None:
            self._tell(f"{told} on node {node_id}: nobody is there")
            return None, None
        sent_ms = self._now_ms()
        who = f"{told} on node {node_id}, sent at {sent_ms:.1f}"
        self._tell(who)
        self.at_work += 1
        try:
            client.start(request, version)
            if not answered:
                return None, None
            response = await client.receive()
        except (EOFError, Disconnected):
            self._tell(f"{who}: the connection is lost")
            return None, None
        finally:
            self.at_work -= 1
        latency_ms = client.transport.latency_ms  # type: ignore[attr-defined]  # a slow one
        return Asked(who, node_id, key, sent_ms, self._now_ms(), latency_ms, wait_ms), response

    def _connect(self, node_id: int) -> Client | None:
        member = self._cluster.members.get(node_id)
        try:
            if member is None:
                raise ConnectionRefusedError
            client = Client(*self._network.join(member.broker.port))
        except ConnectionRefusedError:
            return None
        self._connections.append(client)
        return client

    def _leader(self, key: TopicPartition) -> int:
        topic = self._cluster.controller.topic(key.topic)
        assert topic is not None
        return topic.partitions[key.partition].leader

    def _key(self, partition: int) -> TopicPartition:
        return self._rules.keys[partition]

    def _now_ms(self) -> float:
        return self._cluster.clock.now_ms()

    def _wall_ms(self) -> int:
        return int(EPOCH_MS + self._now_ms())

    def _tell(self, text: str) -> None:
        self._history.tell(self._now_ms(), text)


def _values(values: tuple[bytes, ...]) -> str:
    return ",".join(value.decode() for value in values)
