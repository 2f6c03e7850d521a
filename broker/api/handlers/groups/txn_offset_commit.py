"""TxnOffsetCommit: a producer commits the offsets of a consumer group in its transaction (KIP-98).

Behaviour: partitions that do not exist, and topics that the client may not read, are refused
separately. The coordinator of the transactional id verifies that the group's partition of
``__consumer_offsets`` is in the transaction (KIP-890), or adds it (v5+). After that the group
commits or refuses all other partitions together, so the partition is in the transaction even if the
group refuses. A client that disconnects meanwhile does not prevent the commit. The response is sent
when the records are replicated. The offsets are pending until the marker of the transaction.

Versions: 2 leader epochs, and COORDINATOR_LOAD_IN_PROGRESS instead of COORDINATOR_NOT_AVAILABLE,
3 members (KIP-447), 4 TRANSACTION_ABORTABLE, 5 adds the partition to the transaction.
"""

from __future__ import annotations

from functools import partial

from broker.api.authorization.check import READ_GROUP, READ_TOPIC, WRITE_TRANSACTIONAL_ID
from broker.api.authorization.checks import is_authorized, require
from broker.api.handlers.groups.committed_topics import CommittedTopics
from broker.api.handlers.groups.replicated import when_committed
from broker.api.handlers.transactions.transaction_waits import VerificationWait
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from broker.coordinators.append_errors import as_coordinator_error
from broker.coordinators.coordinator_log import TransactionalProducer
from broker.groups.offset_metadata_manager import Commit, OffsetCommit, PreparedCommit
from broker.steps.queue import Slices
from broker.storage.producers.verification_state import NO_GUARD
from broker.transactions.add_partitions_to_txn import SupportedOperation
from broker.transactions.verification import Producer, Verified
from protocol.errors import ErrorCode
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from protocol.record_batch.header import NO_SEQUENCE

_LOAD_IN_PROGRESS_SINCE = 2
_ABORTABLE_SINCE = 4
_ADDS_PARTITION_SINCE = 5


def txn_offset_commit(
    request: Request[TxnOffsetCommitRequest],
) -> Slices[TxnOffsetCommitResponse | Outcome]:
    """Commit the offsets of all partitions that exist."""
    require(request, WRITE_TRANSACTIONAL_ID, request.body.transactional_id)
    require(request, READ_GROUP, request.body.group_id)
    commit = _TransactionalCommit(request)
    for topic in request.body.topics:
        yield from commit.add(topic)
    yield from commit.prepare()
    return commit.begin()


def _empty(name: str) -> TxnOffsetCommitResponseTopic:
    """A topic of the response, without partitions."""
    return TxnOffsetCommitResponseTopic(name=name, partitions=[])


class _TransactionalCommit:
    """A request whose partitions are added, then verified, then committed."""

    __slots__ = ("_commits", "_committed", "_prepared", "_request", "_response", "_topics")

    def __init__(self, request: Request[TxnOffsetCommitRequest]) -> None:
        self._request = request
        self._response = TxnOffsetCommitResponse(topics=[])
        self._topics = CommittedTopics[TxnOffsetCommitResponseTopic]()
        self._commits: list[Commit] = []
        # The parts of the response about the commits, in the same order.
        self._committed: list[TxnOffsetCommitResponsePartition] = []
        self._prepared: PreparedCommit | None = None

    def add(self, requested: TxnOffsetCommitRequestTopic) -> Slices[None]:
        """Add a topic to the response, and the commits of its partitions that exist."""
        name = requested.name
        topic = self._request.services.image.topic(name)
        error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if not is_authorized(self._request, READ_TOPIC, name):
            topic, error = None, READ_TOPIC.error_code
        empty = partial(_empty, name)
        if topic is None:
            self._topics.refused(name, empty)
        accepted: list[TxnOffsetCommitResponsePartition] = []
        for partition in requested.partitions:
            index = partition.partition_index
            response_partition = TxnOffsetCommitResponsePartition(partition_index=index)
            yield None
            if topic is None or not 0 <= index < len(topic.partitions):
                response_partition.error_code = error
                self._topics.refused(name, empty).partitions.append(response_partition)
                continue
            accepted.append(response_partition)
            self._commits.append(
                Commit(
                    TopicPartition(topic.name, index),
                    partition.committed_offset,
                    partition.committed_leader_epoch,
                    partition.committed_metadata,
                    topic.topic_id,
                )
            )
        if accepted:
            self._committed += accepted
            response_topic = TxnOffsetCommitResponseTopic(name=name, partitions=accepted)
            self._topics.accept(name, response_topic)

    def prepare(self) -> Slices[None]:
        """Encode the records of many commits, because the rest of the work is not in slices."""
        if len(self._commits) > ITEMS_AT_ONCE:
            offsets = self._request.services.groups.offsets
            self._prepared = yield from offsets.prepare(self._offset_commit(NO_GUARD))

    def begin(self) -> TxnOffsetCommitResponse | Outcome:
        """Verify the partition of the group, then commit."""
        request, body, services = self._request, self._request.body, self._request.services
        self._response.topics = self._topics.put_together()
        if not self._commits:
            return self._response
        if not body.group_id:
            return self._refusal(ErrorCode.INVALID_GROUP_ID)
        partition = services.groups.runtime.partition_for(body.group_id)
        key = TopicPartition(GROUP_METADATA_TOPIC, partition)
        transactional_id, operation = body.transactional_id, _operation(request.version)
        producer = Producer(transactional_id, body.producer_id, body.producer_epoch, operation)
        verification = services.verification
        started = verification.start(producer, {key: NO_SEQUENCE})
        if not started.guards:
            return self._commit(key, started)
        request.wait = VerificationWait(
            transactional_id,
            verification.coordinator(transactional_id),
            [key],
            services.config.request_timeout_ms,
        )
        on_verified = partial(request.resume, request, partial(self._commit, key))
        verification.request(producer, started, on_verified)
        return PARKED

    def _commit(self, key: TopicPartition, verified: Verified) -> TxnOffsetCommitResponse | Outcome:
        """Append the commits, and respond when they are replicated."""
        error = verified.errors.get(key, ErrorCode.NONE)
        if error:
            return self._refusal(as_coordinator_error(error))
        commit = self._offset_commit(verified.guards.get(key, NO_GUARD))
        return when_committed(
            self._request, commit, self._committed, self._response, self._refusal, self._prepared
        )

    def _offset_commit(self, guard: int) -> OffsetCommit:
        body = self._request.body
        return OffsetCommit(
            group_id=body.group_id,
            generation_id_or_member_epoch=body.generation_id,
            member_id=body.member_id,
            group_instance_id=body.group_instance_id,
            api_version=self._request.version,
            producer=TransactionalProducer(body.producer_id, body.producer_epoch, guard),
            commits=self._commits,
        )

    def _refusal(self, error: ErrorCode) -> TxnOffsetCommitResponse:
        """The response if no offset has been committed."""
        is_old = self._request.version < _LOAD_IN_PROGRESS_SINCE
        if is_old and error is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
            error = ErrorCode.COORDINATOR_NOT_AVAILABLE
        for response_partition in self._committed:
            response_partition.error_code = error
        return self._response


def _operation(version: int) -> SupportedOperation:
    """What clients of a version of TxnOffsetCommit support."""
    if version >= _ADDS_PARTITION_SINCE:
        return SupportedOperation.ADD_PARTITION
    if version >= _ABORTABLE_SINCE:
        return SupportedOperation.GENERIC_ERROR
    return SupportedOperation.DEFAULT
