"""The requests of transactional producers, in the versions of both protocols.

The old protocol adds partitions explicitly. The new one (KIP-890) adds them with the first batch,
and its EndTxn returns the epoch of the next transaction.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC, TRANSACTION_STATE_TOPIC
from protocol.errors import ErrorCode
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from protocol.messages.end_txn import EndTxnRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.simulation.connections import Answer, Connections
from tests.simulation.coordinator_lookup import coordinator_of
from tests.simulation.transactions.ledger import Identity, Transaction

OFFSET_FETCH_VERSION = 7


class Result(NamedTuple):
    """The error of a response, None if there was no response; and when the request was sent."""

    error: ErrorCode | None
    text: str = ""
    sent_ms: float = 0
    response: Any = None


NO_RESPONSE = Result(None)


class Requests:
    """Sends the requests of one producer; each returns one result."""

    def __init__(
        self, cluster: Cluster, connections: Connections, transactional_id: str, *, is_new: bool
    ) -> None:
        self._cluster = cluster
        self._connections = connections
        self._transactional_id = transactional_id
        self._is_new = is_new

    async def init(self, timeout_ms: int, expected: Identity | None) -> Result:
        """InitProducerId."""
        request = InitProducerIdRequest(
            transactional_id=self._transactional_id, transaction_timeout_ms=timeout_ms
        )
        if expected is not None:
            request.producer_id = expected.producer_id
            request.producer_epoch = expected.producer_epoch
        text = f"init {self._transactional_id} {expected or ''}"
        answer = await self._to_coordinator(text, request, 5 if self._is_new else 4)
        return self._result(answer, lambda response: response.error_code)

    async def add_partitions(
        self, transaction: Transaction, partitions: list[TopicPartition]
    ) -> Result:
        """AddPartitionsToTxn of the old protocol."""
        topics = [
            AddPartitionsToTxnTopic(name=key.topic, partitions=[key.partition])
            for key in partitions
        ]
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self._transactional_id,
            v3_and_below_producer_id=transaction.identity.producer_id,
            v3_and_below_producer_epoch=transaction.identity.producer_epoch,
            v3_and_below_topics=topics,
        )
        text = f"{transaction.name}: add {', '.join(map(str, partitions))}"
        answer = await self._to_coordinator(text, request, 3)
        return self._result(answer, _error_of_addition)

    async def add_offsets(self, transaction: Transaction, group_id: str) -> Result:
        """AddOffsetsToTxn of the old protocol."""
        request = AddOffsetsToTxnRequest(
            transactional_id=self._transactional_id,
            producer_id=transaction.identity.producer_id,
            producer_epoch=transaction.identity.producer_epoch,
            group_id=group_id,
        )
        answer = await self._to_coordinator(f"{transaction.name}: add {group_id}", request, 3)
        return self._result(answer, lambda response: response.error_code)

    async def produce(
        self,
        transaction: Transaction,
        key: TopicPartition,
        records: bytes,
        timeout_ms: int,
        limit_s: float,
    ) -> Result:
        """Produce; the client waits for ``limit_s``."""
        data = PartitionProduceData(index=key.partition, records=records)
        request = ProduceRequest(
            transactional_id=self._transactional_id,
            acks=-1,
            timeout_ms=timeout_ms,
            topic_data=[TopicProduceData(name=key.topic, partition_data=[data])],
        )
        [sent] = [each for each in transaction.sent if each.base_offset is None]
        text = f"{transaction.name}: produce {sent.values} to {key}"
        version = 12 if self._is_new else 9
        node_id = self._connections.leader(key)
        answer = await self._connections.exchange(text, request, version, node_id, limit_s=limit_s)
        result = self._result(
            answer, lambda response: response.responses[0].partition_responses[0].error_code
        )
        if result.error is ErrorCode.NONE:
            sent.base_offset = result.response.responses[0].partition_responses[0].base_offset
            sent.acknowledged = True
        return result

    async def commit_offset(
        self, transaction: Transaction, group_id: str, key: TopicPartition, offset: int
    ) -> Result:
        """TxnOffsetCommit; the metadata is the name of the transaction."""
        partition = TxnOffsetCommitRequestPartition(
            partition_index=key.partition,
            committed_offset=offset,
            committed_metadata=transaction.name,
        )
        request = TxnOffsetCommitRequest(
            transactional_id=self._transactional_id,
            group_id=group_id,
            producer_id=transaction.identity.producer_id,
            producer_epoch=transaction.identity.producer_epoch,
            topics=[TxnOffsetCommitRequestTopic(name=key.topic, partitions=[partition])],
        )
        text = f"{transaction.name}: commit offset {offset} of {group_id}"
        node_id = self._coordinator(group_id, GROUP_METADATA_TOPIC)
        version = 5 if self._is_new else 3
        answer = await self._connections.exchange(text, request, version, node_id)
        return self._result(answer, lambda response: response.topics[0].partitions[0].error_code)

    async def end(self, transaction: Transaction, *, commit: bool) -> Result:
        """EndTxn."""
        request = EndTxnRequest(
            transactional_id=self._transactional_id,
            producer_id=transaction.identity.producer_id,
            producer_epoch=transaction.identity.producer_epoch,
            committed=commit,
        )
        text = f"{transaction.name}: {'commit' if commit else 'abort'}"
        answer = await self._to_coordinator(text, request, 5 if self._is_new else 3)
        return self._result(answer, lambda response: response.error_code)

    async def fetch_offset(self, group_id: str, key: TopicPartition) -> Result:
        """OffsetFetch of a stable offset."""
        topic = OffsetFetchRequestTopic(name=key.topic, partition_indexes=[key.partition])
        request = OffsetFetchRequest(group_id=group_id, topics=[topic], require_stable=True)
        node_id = self._coordinator(group_id, GROUP_METADATA_TOPIC)
        answer = await self._connections.exchange(
            f"fetch the offset of {group_id}", request, OFFSET_FETCH_VERSION, node_id
        )
        return self._result(
            answer,
            lambda response: response.error_code or response.topics[0].partitions[0].error_code,
        )

    async def _to_coordinator(self, text: str, request: Any, version: int) -> Answer | None:
        node_id = self._coordinator(self._transactional_id, TRANSACTION_STATE_TOPIC)
        return await self._connections.exchange(text, request, version, node_id)

    def _coordinator(self, key: str, topic: str) -> int:
        return coordinator_of(key, topic, self._cluster.controller.image)

    def _result(self, answer: Answer | None, error_of: Any) -> Result:
        if answer is None:
            return NO_RESPONSE
        error = ErrorCode(error_of(answer.response))
        self._connections.log(f"{answer.text}: {error.name}")
        return Result(error, answer.text, answer.sent_ms, answer.response)


def _error_of_addition(response: AddPartitionsToTxnResponse) -> int:
    """The error of AddPartitionsToTxn: that of one partition prevents the others."""
    errors = {
        partition.partition_error_code
        for topic in response.results_by_topic_v3_and_below
        for partition in topic.results_by_partition
    }
    return max(errors - {ErrorCode.OPERATION_NOT_ATTEMPTED})
