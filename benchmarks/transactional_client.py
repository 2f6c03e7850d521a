"""A raw transactional producer of one partition, with the newest protocol (KIP-890)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from integration.machine.deadlines import eventually
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata
from protocol.errors import ErrorCode
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.end_txn import EndTxnRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record

_TRANSACTION = 1  # a key type of FindCoordinator
_TRANSACTIONAL = 0x10  # an attribute of batches
_FIND_COORDINATOR_VERSION, _INIT_VERSION, _PRODUCE_VERSION, _END_VERSION = 3, 4, 12, 5
_TIMEOUT_MS = 30_000


class TransactionalClient:
    """A producer id with a connection to its coordinator and one to the leader of partition 0.

    The transactional id is the name of the topic. ``leader`` is the leader's address.
    """

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._topic = topic
        self._sequence = 0
        with Connection(bootstrap) as connection:
            response = read_metadata(connection.request(metadata([topic])))
            where = {node: f"{host}:{port}" for node, host, port in response.brokers}
            self.leader = where[response.topics[topic][1][0]]
            coordinator = eventually(
                lambda: _coordinator(connection, topic), f"a coordinator of {topic}", within=30
            )
        self._to_leader = Connection(self.leader)
        self._to_coordinator = Connection(coordinator)
        init = InitProducerIdRequest(transactional_id=topic, transaction_timeout_ms=_TIMEOUT_MS)
        identity = eventually(
            lambda: _without_error(_exchange(self._to_coordinator, init, _INIT_VERSION)),
            "a producer id",
        )
        self._id, self._epoch = identity.producer_id, identity.producer_epoch

    def produce(self, values: Sequence[bytes]) -> None:
        """Write one batch; repeated while the broker ends the previous transaction."""
        batch = build_batch(
            [Record(key=None, value=value, timestamp=0) for value in values],
            producer_id=self._id,
            producer_epoch=self._epoch,
            base_sequence=self._sequence,
            attributes=_TRANSACTIONAL,
        )
        partition = PartitionProduceData(index=0, records=batch)
        request = ProduceRequest(
            transactional_id=self._topic,
            acks=-1,
            timeout_ms=_TIMEOUT_MS,
            topic_data=[TopicProduceData(name=self._topic, partition_data=[partition])],
        )
        error = ErrorCode.CONCURRENT_TRANSACTIONS
        while error is ErrorCode.CONCURRENT_TRANSACTIONS:
            response = _exchange(self._to_leader, request, _PRODUCE_VERSION)
            error = ErrorCode(response.responses[0].partition_responses[0].error_code)
        assert error is ErrorCode.NONE, error.name
        self._sequence += len(values)

    def commit(self) -> None:
        """End the transaction; the response has the epoch of the next one."""
        request = EndTxnRequest(
            transactional_id=self._topic,
            producer_id=self._id,
            producer_epoch=self._epoch,
            committed=True,
        )
        response = _exchange(self._to_coordinator, request, _END_VERSION)
        assert response.error_code == 0, ErrorCode(response.error_code).name
        self._id, self._epoch = response.producer_id, response.producer_epoch
        self._sequence = 0

    def close(self) -> None:
        """Close both connections."""
        self._to_leader.close()
        self._to_coordinator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _coordinator(connection: Connection, transactional_id: str) -> str:
    """The coordinator's address; empty while there is none."""
    request = FindCoordinatorRequest(key=transactional_id, key_type=_TRANSACTION)
    response = _exchange(connection, request, _FIND_COORDINATOR_VERSION)
    return "" if response.error_code else f"{response.host}:{response.port}"


def _without_error(response: Any) -> Any:
    return None if response.error_code else response


def _exchange(connection: Connection, request: Any, version: int) -> Any:
    frame = encode_request(request, version, 1, "benchmark")
    response = connection.request(frame)
    return decode_response(RESPONSES[request.__spec__.key], version, response)[1]
