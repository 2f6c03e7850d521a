"""Produce: appends batches; with acks=all, responds when every in-sync replica has them.

Behaviour: partitions that are refused before the append come after the others in the response, as
in Kafka. Of a partition that is named twice the last valid batch is appended, and the response has
it once; if a batch is invalid, its error is the result, and null counts only as the last one. With
``acks=0`` there is no response, and an error closes the connection so that the client refreshes its
metadata. A wait that times out is REQUEST_TIMED_OUT, and the records stay in the log. A client that
exceeds its quota gets its response at once, and its connection is muted. Batches that take long to
validate are validated in a worker thread before any batch is appended. Requests of many partitions,
and long responses, are handled in slices. With ``flush.messages`` the records are on the disk
before they are acknowledged. The first batch of a transaction is verified before its append
(`broker.api.handlers.records.produce_verification`). A client that may not write to the
transactional id of transactional batches fails as a whole, other refusals are those of topics.

Versions: 13 names topics by id. The schema begins at v3, but ApiVersions advertises 0, because
older librdkafka does not compress otherwise (KAFKA-18659).

Deviation: a zstd block, and one record of any compressed batch, may decompress to 128 MB; in Kafka
only the heap limits them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final
from uuid import UUID

from broker.api.authorization.check import WRITE_TOPIC, WRITE_TRANSACTIONAL_ID
from broker.api.authorization.checks import is_authorized
from broker.api.handlers.records.produce_response import TOPIC_IDS_SINCE, Results, merged, respond
from broker.api.handlers.records.produce_verification import unverified, verify
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.topic_partition import TopicPartition, topic_partition
from broker.replication.produce_result import ProduceResult
from broker.replication.replica_manager import ProduceResults
from broker.replication.validations import (
    Validated,
    are_short,
    unvalidated,
    validated_in_thread,
    validated_on_loop,
)
from broker.replication.waits import FlushWait, ProduceWait
from broker.steps.queue import Slices
from broker.storage.validation.append import (
    ReceivedBatch,
    corruption,
    first_batch_problem,
    received,
)
from broker.storage.validation.log_validator import Appendable
from broker.transactions.verification import Verified
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.peek import is_transactional
from purgatories.operations.delayed_produce import DelayedProduce

_NO_GUARDS: Final[Mapping[TopicPartition, int]] = {}
_NONE: Final = ErrorCode.NONE
_CORRUPT_MESSAGE: Final = ErrorCode.CORRUPT_MESSAGE
_INVALID_RECORD: Final = ErrorCode.INVALID_RECORD
_INTERNAL_WRITER: Final = "__admin_client"  # Kafka lets only this client id write internal topics


@dataclass(slots=True, eq=False)
class Entry:
    """One partition of the request, and the error that the header of its batch shows."""

    key: TopicPartition
    topic_id: UUID
    batch: ReceivedBatch | None
    batch_error: ErrorCode


def produce(request: Request[ProduceRequest]) -> Outcome | Slices[Outcome]:
    """Append the batches of a few partitions at once, those of many in slices."""
    topics = request.body.topic_data
    partitions = 0
    for topic in topics:  # a generator expression would take three times as long
        partitions += len(topic.partition_data)
    if partitions > ITEMS_AT_ONCE:
        _keep(request)
        return _produce_in_slices(request)
    entries = _Entries(request)
    for topic in topics:
        for partition in topic.partition_data:
            entries.add(topic, partition)
    if not entries.fail_together():
        for entry in entries.all:
            entries.check(entry)
    return _verify(entries) if entries.is_transactional else _validate(entries)


def _produce_in_slices(request: Request[ProduceRequest]) -> Slices[Outcome]:
    entries = _Entries(request)
    for topic in request.body.topic_data:
        for partition in topic.partition_data:
            entries.add(topic, partition)
            yield None
    if not entries.fail_together():
        for entry in entries.all:
            entries.check(entry)
            yield None
    outcome = _verify(entries) if entries.is_transactional else _validate(entries)
    return outcome if isinstance(outcome, Outcome) else (yield from outcome)


def _keep(request: Request[ProduceRequest]) -> None:
    """Keep the records until the response, or copies of them."""
    if request.keep():
        return
    for topic in request.body.topic_data:
        for partition in topic.partition_data:
            if partition.records is not None:
                partition.records = memoryview(bytearray(partition.records))


class _Entries:
    """The partitions of a request: all are added, then checked, then appended to if accepted.

    ``guards`` are those of the appends that were verified.
    """

    __slots__ = (
        "accepted",
        "all",
        "guards",
        "is_transactional",
        "last",
        "refused",
        "request",
        "topic_ids",
        "writable",
    )

    def __init__(self, request: Request[ProduceRequest]) -> None:
        self.request = request
        self.all: list[Entry] = []
        self.accepted: dict[TopicPartition, ReceivedBatch] = {}
        self.topic_ids: dict[TopicPartition, UUID] = {}
        self.refused: Results = []
        self.is_transactional = False
        self.guards: Mapping[TopicPartition, int] = _NO_GUARDS
        self.writable: dict[str, bool] = {}  # if there is an authorizer
        self.last: dict[TopicPartition, Entry] | None = None  # if any has null instead of records

    def add(self, topic: TopicProduceData, partition: PartitionProduceData) -> None:
        """Add a partition, before the handler returns or yields: then its records may be lost."""
        request = self.request
        name = topic.name
        if request.version >= TOPIC_IDS_SINCE:
            known = request.services.image.topic_by_id(topic.topic_id)
            name = "" if known is None else known.name
        key = topic_partition(name, partition.index)
        batch, error = None, _INVALID_RECORD
        if partition.records is not None:
            batch = received(memoryview(partition.records))
            error = first_batch_problem(batch, request.version)
            if request.observer is not None:
                request.observer.measure(key, batch.records)
        self.all.append(Entry(key, topic.topic_id, batch, error))

    def fail_together(self) -> bool:
        """Refuse all partitions if the request fails as a whole."""
        self.is_transactional, error, message = _error_of_all(self.request, self.all)
        if error:
            self.is_transactional = False
            self.refused = [
                (each.key, each.topic_id, ProduceResult(error, message=message))
                for each in self.all
            ]
        return bool(error)

    def check(self, entry: Entry) -> None:
        """Accept or refuse one partition."""
        error = _error_before_append(self.request, entry)
        if self.request.services.authorizer is not None and not self._may_write(entry.key.topic):
            error = WRITE_TOPIC.error_code
        key, topic_id, batch = entry.key, entry.topic_id, entry.batch
        if error or batch is None:
            if batch is not None or self._is_last(entry):
                self.refused.append((key, topic_id, ProduceResult(error)))
        else:
            self.accepted[key] = batch
            self.topic_ids[key] = topic_id

    def _is_last(self, entry: Entry) -> bool:
        """Whether no later entry is of the same partition."""
        if self.last is None:
            self.last = {each.key: each for each in self.all}
        return self.last[entry.key] is entry

    def _may_write(self, topic: str) -> bool:
        """Whether the client may write to a topic; a topic with an unknown id has no name."""
        if not topic and self.request.version >= TOPIC_IDS_SINCE:
            return True
        known = self.writable.get(topic)
        if known is None:
            known = self.writable[topic] = is_authorized(self.request, WRITE_TOPIC, topic)
        return known

    def respond(self, results: ProduceResults) -> None:
        """Respond with the *results* of the appends, when the disk has what must be flushed."""
        request, logs = self.request, self.request.services.logs
        appended = [(key, self.topic_ids[key], result) for key, result in results.items()]
        flusher = logs.flusher
        flushing = flusher.running or flusher.waiting  # a property would be interpreted
        if flushing and request.body.acks and (unflushed := self._unflushed(results)):
            if request.wait is None:  # otherwise the record describes the wait for the replicas
                request.wait = FlushWait(merged(appended, self.refused))
            flushed = partial(request.attempt, self._respond_flushed, appended)
            logs.after_flush(unflushed, flushed)
        else:
            respond(request, merged(appended, self.refused))

    def park(self, operation: DelayedProduce[TopicPartition] | None) -> Outcome:
        """Park the request until *operation* completes, unless it has completed already (None)."""
        if operation is not None:
            hosted = self.request.services.replicas.partitions
            self.request.park(operation, ProduceWait(operation, hosted, self.refused))
        return PARKED

    def _unflushed(self, results: ProduceResults) -> list[TopicPartition]:
        """The partitions whose new records must be on the disk before they are acknowledged."""
        awaits_flush = self.request.services.logs.awaits_flush
        return [
            key
            for key, result in results.items()
            if not result.error and awaits_flush(key, result.base_offset)
        ]

    def _respond_flushed(self, appended: Results) -> None:
        """Respond after the flush, which has failed where the log is offline."""
        is_offline = self.request.services.logs.is_offline
        for key, _, result in appended:
            if not result.error and is_offline(key):
                result.error, result.base_offset = ErrorCode.KAFKA_STORAGE_ERROR, -1
        respond(self.request, merged(appended, self.refused))


def _error_of_all(
    request: Request[ProduceRequest], entries: list[Entry]
) -> tuple[bool, ErrorCode, str | None]:
    """Whether any batch is transactional, and error and message that fail the request as a whole.

    Kafka searches for transactional batches first, and fails there if bytes are not a batch.
    """
    body, found = request.body, False
    for entry in entries:
        batch, error = entry.batch, entry.batch_error
        if error is _CORRUPT_MESSAGE and batch is not None:
            message = corruption(batch)
            if message is not None:
                return False, error, message
        if not error and batch is not None and is_transactional(batch.records):
            transactional_id = body.transactional_id
            if transactional_id is None or not is_authorized(
                request, WRITE_TRANSACTIONAL_ID, transactional_id
            ):
                return True, WRITE_TRANSACTIONAL_ID.error_code, None
            found = True
            break
    return found, _NONE, None


def _error_before_append(request: Request[ProduceRequest], entry: Entry) -> ErrorCode:
    """The error of a partition that is refused without its log, in Kafka's order."""
    topic = request.services.image.topic(entry.key.topic)
    if topic is None:
        by_id = request.version >= TOPIC_IDS_SINCE
        return ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if not 0 <= entry.key.partition < len(topic.partitions):
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if entry.batch_error:
        return entry.batch_error
    if topic.internal and request.client_id != _INTERNAL_WRITER:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    return _NONE if -1 <= request.body.acks <= 1 else ErrorCode.INVALID_REQUIRED_ACKS


def _verify(entries: _Entries) -> Outcome | Slices[Outcome]:
    """Append what is accepted after its verification."""
    request = entries.request
    transactional_id = request.body.transactional_id
    assert transactional_id is not None

    def proceed(verified: Verified) -> Outcome | Slices[Outcome]:
        for key, error in verified.errors.items():
            del entries.accepted[key]
            result = unverified(error, request.version)
            entries.refused.append((key, entries.topic_ids[key], result))
        entries.guards = verified.guards
        return _validate(entries)

    return verify(request, transactional_id, entries.accepted, proceed)


def _validate(entries: _Entries) -> Outcome | Slices[Outcome]:
    """Append what is accepted; long batches are validated first, perhaps in a worker thread."""
    request, accepted = entries.request, entries.accepted
    if not accepted:
        respond(request, merged([], entries.refused))
        return PARKED
    if are_short(accepted.values()):
        return _append(entries, accepted)
    hosted, version = request.services.replicas.partitions, request.version
    now_ms = request.services.clock.wall_ms()
    batches = unvalidated(hosted, accepted)
    on_loop = validated_on_loop(batches, version, now_ms)
    if on_loop is not None:
        return _append(entries, {**accepted, **on_loop})
    if len(accepted) <= ITEMS_AT_ONCE and not request.keep():
        accepted = {key: each.copied() for key, each in accepted.items()}
        batches = unvalidated(hosted, accepted)

    def append(validated: Validated) -> Outcome | Slices[Outcome]:
        return _append(entries, {**accepted, **validated})

    return request.offload(partial(validated_in_thread, batches, version, now_ms), append)


def _append(
    entries: _Entries, batches: Mapping[TopicPartition, Appendable]
) -> Outcome | Slices[Outcome]:
    """Append to each partition, and respond or park the request."""
    if len(batches) > ITEMS_AT_ONCE:
        return _append_in_slices(entries, batches)
    request, body = entries.request, entries.request.body
    operation = request.services.replicas.append_records(
        body.timeout_ms, body.acks, batches, request.version, entries.respond, entries.guards
    )
    return entries.park(operation)


def _append_in_slices(
    entries: _Entries, batches: Mapping[TopicPartition, Appendable]
) -> Slices[Outcome]:
    request, body = entries.request, entries.request.body
    operation = yield from request.services.replicas.append_records_in_slices(
        body.timeout_ms, body.acks, batches, request.version, entries.respond, entries.guards
    )
    return entries.park(operation)
