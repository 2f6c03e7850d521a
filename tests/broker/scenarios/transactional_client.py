"""A transactional producer of three nodes that uses protocol 2 and retries as the Java client."""

from __future__ import annotations

from typing import Any

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from protocol.errors import ErrorCode
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from protocol.messages.describe_transactions import DescribeTransactionsRequest
from protocol.messages.end_txn import EndTxnRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.batch import batches, records
from protocol.record_batch.control import end_txn_marker
from protocol.record_batch.header import TRANSACTIONAL_BIT
from tests.batches import batch
from tests.broker.scenarios.three_nodes import PendingResponse, ThreeNodes, pass_ms, settle
from tests.requests import FETCH_VERSION, fetch_request

PRODUCE_VERSION = 12  # the first with protocol 2; topics have names
_EPOCH_BUMP_SINCE = 5  # version of EndTxn
_ATTEMPTS_MAX = 200
_RETRY_MS = 20
_RETRIABLE = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.CONCURRENT_TRANSACTIONS,
    }
)


class TransactionalProducer:
    """A producer with one transactional id."""

    def __init__(self, nodes: ThreeNodes, transactional_id: str = "billing") -> None:
        self._nodes = nodes
        self.transactional_id = transactional_id
        self.producer_id = self.epoch = -1
        self._sequences: dict[TopicPartition, int] = {}

    async def init(self) -> ErrorCode:
        """Begin a session."""
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id, transaction_timeout_ms=60_000
        )
        response = await self._at_coordinator(request, 5)
        self.producer_id, self.epoch = response.producer_id, response.producer_epoch
        self._sequences.clear()
        return ErrorCode(response.error_code)

    async def produce(
        self, key: TopicPartition, *values: bytes, version: int = PRODUCE_VERSION
    ) -> ErrorCode:
        """Send a batch in the transaction."""
        sequence = self._sequences.get(key, 0)
        data = batch(
            *values,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            base_sequence=sequence,
            attributes=TRANSACTIONAL_BIT,
        )
        partition = PartitionProduceData(index=key.partition, records=data)
        request = ProduceRequest(
            transactional_id=self.transactional_id,
            acks=-1,
            timeout_ms=30_000,
            topic_data=[TopicProduceData(name=key.topic, partition_data=[partition])],
        )
        error = ErrorCode.NONE
        for _ in range(_ATTEMPTS_MAX):
            response = await self._send(request, version, leader(self._nodes, key))
            if response is not None:
                [result] = response.responses[0].partition_responses
                error = ErrorCode(result.error_code)
                if error not in _RETRIABLE:
                    break
            await pass_ms(_RETRY_MS)
        if not error:
            self._sequences[key] = sequence + len(values)
        return error

    async def add_partitions(self, *keys: TopicPartition) -> set[ErrorCode]:
        """Add partitions to the transaction, as clients of protocol 1 do."""
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self.producer_id,
            v3_and_below_producer_epoch=self.epoch,
            v3_and_below_topics=[
                AddPartitionsToTxnTopic(name=key.topic, partitions=[key.partition]) for key in keys
            ],
        )
        errors = {ErrorCode.COORDINATOR_NOT_AVAILABLE}
        for _ in range(_ATTEMPTS_MAX):
            response = await self._send(request, 3, self.coordinator())
            if response is not None:
                errors = {
                    ErrorCode(each.partition_error_code)
                    for topic in response.results_by_topic_v3_and_below
                    for each in topic.results_by_partition
                }
                if not errors & _RETRIABLE:
                    break
            await pass_ms(_RETRY_MS)
        return errors

    async def end(self, *, commit: bool, version: int = 5) -> ErrorCode:
        """End the transaction; from v5 on the response has the epoch of the next one."""
        response = await self._at_coordinator(self._end_request(commit), version)
        if version >= _EPOCH_BUMP_SINCE:
            self._begin_next(response)
        return ErrorCode(response.error_code)

    async def begin_to_end(self, *, commit: bool) -> PendingResponse:
        """Request the end of the transaction without waiting for the response."""
        return await self._nodes.send(self._end_request(commit), 5, self.coordinator())

    def _end_request(self, commit: bool) -> EndTxnRequest:
        return EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            committed=commit,
        )

    def _begin_next(self, response: Any) -> None:
        if not response.error_code:
            self.producer_id, self.epoch = response.producer_id, response.producer_epoch
            self._sequences.clear()

    async def transaction(self, key: TopicPartition, *values: bytes, commit: bool = True) -> None:
        """A whole transaction with one batch."""
        assert await self.produce(key, *values) is ErrorCode.NONE
        assert await self.end(commit=commit) is ErrorCode.NONE

    async def state(self) -> str:
        """The state of the transactional id at its coordinator."""
        request = DescribeTransactionsRequest(transactional_ids=[self.transactional_id])
        for _ in range(_ATTEMPTS_MAX):
            response = await self._send(request, 0, self.coordinator())
            if response is not None:
                [state] = response.transaction_states
                if ErrorCode(state.error_code) not in _RETRIABLE:
                    return str(state.transaction_state)
            await pass_ms(_RETRY_MS)
        raise AssertionError("no coordinator")

    async def completed(self) -> str:
        """The state of the transactional id once no marker is outstanding."""
        for _ in range(_ATTEMPTS_MAX):
            state = await self.state()
            if not state.startswith("Prepare"):
                return state
            await pass_ms(_RETRY_MS)
        return state

    def coordinator(self) -> int:
        """The node that coordinates the id."""
        return leader(self._nodes, state_partition(self._nodes, self.transactional_id))

    async def _at_coordinator(self, request: Any, version: int) -> Any:
        """Send a request to the coordinator until it has a result that is final."""
        for _ in range(_ATTEMPTS_MAX):
            find = FindCoordinatorRequest(key_type=1, coordinator_keys=[self.transactional_id])
            found = await self._send(find, 6, self._live_node())
            if found is not None and not found.coordinators[0].error_code:
                response = await self._send(request, version, found.coordinators[0].node_id)
                if response is not None and response.error_code not in _RETRIABLE:
                    return response
            await pass_ms(_RETRY_MS)
        raise AssertionError(f"no final response to {request}")

    def _live_node(self) -> int:
        return min(node.id for node in self._nodes.cluster.nodes)

    async def _send(self, request: Any, version: int, node_id: int) -> Any:
        """The response; None if there is no such node, or it has no response yet after a minute."""
        if node_id not in {node.id for node in self._nodes.cluster.nodes}:
            return None
        pending = await self._nodes.send(request, version, node_id)
        for _ in range(_ATTEMPTS_MAX):
            if pending.has_arrived:
                return pending.response
            await pass_ms(_RETRY_MS)
        raise AssertionError(f"node {node_id} has no response to {request}")


def leader(nodes: ThreeNodes, key: TopicPartition) -> int:
    """The leader of a partition in the controller's image."""
    topic = nodes.controller.topic(key.topic)
    assert topic is not None
    return topic.partitions[key.partition].leader


def state_partition(nodes: ThreeNodes, transactional_id: str) -> TopicPartition:
    """The partition of the state topic that an id is in."""
    runtime = nodes.cluster.nodes[0].transactions.runtime
    return TopicPartition(TRANSACTION_STATE_TOPIC, runtime.partition_for(transactional_id))


async def read_committed(nodes: ThreeNodes, key: TopicPartition) -> list[bytes | None]:
    """The values of committed records, filtered as a client filters them."""
    body = fetch_request(key.topic, *[0] * (key.partition + 1))
    body.isolation_level = 1
    body.topics[0].partitions = body.topics[0].partitions[key.partition :]
    response = await nodes.send(body, FETCH_VERSION, leader(nodes, key))
    [partition] = response.response.responses[0].partitions
    assert partition.error_code == 0
    aborted = [(each.first_offset, each.producer_id) for each in partition.aborted_transactions]
    found: list[bytes | None] = []
    dropped: set[int] = set()
    raw = bytes(partition.records or b"")
    for position, header in batches(raw):
        dropped |= {producer for first, producer in aborted if first == header.base_offset}
        if header.is_control:
            dropped.discard(header.producer_id)
        elif not (header.is_transactional and header.producer_id in dropped):
            found += [record.value for record in records(raw, position)]
    return found


def markers(nodes: ThreeNodes, node_id: int, key: TopicPartition) -> list[str]:
    """The markers in a replica's log."""
    log = nodes.running.node(node_id).replicas.partitions[key].log
    raw = bytes(memoryview(log.read(0, 1 << 20, log.log_end_offset_metadata, True).records))
    found = []
    for position, header in batches(raw):
        if header.is_control and (marker := end_txn_marker(raw[position:])) is not None:
            found.append("abort" if marker.is_abort else "commit")
    return found


async def stop(nodes: ThreeNodes, node_id: int) -> None:
    """Stop a node, and let the others elect leaders."""
    await nodes.cluster.stop(node_id)
    await settle()
