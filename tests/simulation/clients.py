"""The clients of a run that use no transactions.

An idempotent producer sends a batch again until it knows its outcome.
"""

from __future__ import annotations

from random import Random
from typing import Any

import trio

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.batches import batch
from tests.client import EPOCH_MS
from tests.simulation.connections import Connections
from tests.simulation.history import History, Sent
from tests.simulation.plan import Plan
from tests.simulation.responses import Exchange, check_deleted, check_fetched, check_produced
from tests.simulation.rules import Rules
from tests.simulation.steps import Delete, Produce, Read

PRODUCE_VERSION = 9
DELETE_VERSION = 2
RETRY_MS = 70


class Clients:
    """Sends the requests of the plan, and checks every response."""

    def __init__(
        self,
        plan: Plan,
        cluster: Cluster,
        connections: Connections,
        rules: Rules,
        history: History,
    ) -> None:
        self.in_progress = 0
        self.is_over = False
        self._plan = plan
        self._cluster = cluster
        self._connections = connections
        self._rules = rules
        self._history = history
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
        """Send a batch to a node or the leader; returns its error, or None if it is unknown."""
        data = PartitionProduceData(index=sent.key.partition, records=records)
        request = ProduceRequest(
            acks=sent.acks,
            timeout_ms=timeout_ms,
            topic_data=[TopicProduceData(name=sent.key.topic, partition_data=[data])],
        )
        wait_ms = timeout_ms if sent.acks == -1 else 0
        text = f"produce {_values(sent.values)} acks {sent.acks} to {sent.key}"
        exchange, response = await self._exchange(
            text,
            request,
            PRODUCE_VERSION,
            sent.key,
            node_id,
            wait_ms,
            expects_response=sent.acks != 0,
        )
        if response is None or exchange is None:
            return None
        [topic] = response.responses
        [partition] = topic.partition_responses
        self._log(
            f"{exchange.text}: {ErrorCode(partition.error_code).name} at {partition.base_offset}"
        )
        check_produced(
            exchange, self._rules, sent, partition.error_code, partition.base_offset, self._min_isr
        )
        if not partition.error_code:
            sent.base_offset = partition.base_offset
            sent.acknowledged = sent.acks == -1
        return ErrorCode(partition.error_code)

    async def read(self, step: Read) -> None:
        """Fetch once."""
        key = self._key(step.partition)
        offset = int(step.whence * self._rules.committed[key].end)
        requested = FetchPartition(
            partition=key.partition, fetch_offset=offset, partition_max_bytes=1 << 20
        )
        request = FetchRequest(
            max_wait_ms=step.max_wait_ms,
            min_bytes=1,
            topics=[FetchTopic(topic=key.topic, partitions=[requested])],
        )
        text = f"fetch v{step.version} {key} from {offset}"
        exchange, response = await self._exchange(
            text, request, step.version, key, step.node, step.max_wait_ms
        )
        if response is None or exchange is None:
            return
        [topic] = response.responses
        [data] = topic.partitions
        size = len(data.records or b"")
        self._log(
            f"{exchange.text}: {ErrorCode(data.error_code).name}, {size} bytes, high watermark "
            f"{data.high_watermark}"
        )
        check_fetched(exchange, self._rules, offset, data)

    async def delete(self, step: Delete) -> bool:
        """Delete once; returns whether it succeeded."""
        key = self._key(step.partition)
        offset = int(step.part * self._rules.committed[key].end)
        partition = DeleteRecordsPartition(partition_index=key.partition, offset=offset)
        request = DeleteRecordsRequest(
            topics=[DeleteRecordsTopic(name=key.topic, partitions=[partition])],
            timeout_ms=step.timeout_ms,
        )
        text = f"delete {key} below {offset}"
        leader = self._leader(key)
        live_replicas = self._rules.live_replicas(leader, key)
        exchange, response = await self._exchange(
            text, request, DELETE_VERSION, key, leader, step.timeout_ms
        )
        if response is None or exchange is None:
            return False
        [topic] = response.topics
        [partition] = topic.partitions
        self._log(
            f"{exchange.text}: {ErrorCode(partition.error_code).name}, {partition.low_watermark}"
        )
        after = self._rules.live_replicas(leader, key)
        live_throughout = [
            replica for replica, node in live_replicas.items() if after.get(replica) is node
        ]
        check_deleted(
            exchange, offset, partition.error_code, partition.low_watermark, live_throughout
        )
        return not partition.error_code

    # ------------------------------------------------------------------------------- producers

    async def idempotent_producer(self, number: int) -> None:
        """Send batches in order, each until it is acknowledged."""
        random = Random(f"producer {self._plan.seed} {number}")
        producer_id = self._cluster.controller.allocate_producer_ids()[0]
        sequences = [0] * self._plan.partitions
        self.in_progress += 1
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
        self.in_progress -= 1

    # ------------------------------------------------------------------------------- exchanges

    async def _exchange(
        self,
        text: str,
        request: Any,
        version: int,
        key: TopicPartition,
        node_id: int | None,
        wait_ms: float,
        *,
        expects_response: bool = True,
    ) -> tuple[Exchange | None, Any]:
        """Send a request to a node or the leader; returns the exchange and the response, if any."""
        node_id = self._leader(key) if node_id is None else node_id
        answer = await self._connections.exchange(
            text, request, version, node_id, expects_response=expects_response
        )
        if answer is None:
            return None, None
        exchange = Exchange(
            answer.text, node_id, key, answer.sent_ms, answer.now_ms, answer.latency_ms, wait_ms
        )
        return exchange, answer.response

    def _leader(self, key: TopicPartition) -> int:
        return self._connections.leader(key)

    def _key(self, partition: int) -> TopicPartition:
        return self._rules.keys[partition]

    def _now_ms(self) -> float:
        return self._cluster.clock.now_ms()

    def _wall_ms(self) -> int:
        return int(EPOCH_MS + self._now_ms())

    def _log(self, text: str) -> None:
        self._connections.log(text)


def _values(values: tuple[bytes, ...]) -> str:
    return ",".join(value.decode() for value in values)
