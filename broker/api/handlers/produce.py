"""Produce: append batches; with acks=all, answer when every in-sync replica has them.

Behaviour: partitions refused before the append come after the others in the answer, as Kafka
orders them; ``acks=0`` has no answer, and an error then closes the connection so that the client
looks around; a wait that times out answers REQUEST_TIMED_OUT and keeps the records. A client that
has produced more than its quota is answered at once, and then not read for a while. Batches that
take long to validate are validated in a worker thread before any batch is appended. Requests of
many partitions, and long responses, are handled in slices. With
``flush.messages`` the disk must have the records before they are acknowledged.

Versions: 13 names topics by id. The schema begins at v3, but ApiVersions advertises 0, because
older librdkafka takes that for "no compression" otherwise (KAFKA-18659).

Deviations: transactions are not served yet: a transactional batch is INVALID_TXN_STATE, or, as in
Kafka, TRANSACTIONAL_ID_AUTHORIZATION_FAILED for the whole request if it names no transactional id.
A zstd block, and one record of any compressed batch, may decompress to 128 MB; Kafka has no limit
but its heap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple
from uuid import UUID

from broker.api.handlers.current_leader import Leaders
from broker.api.long_request import ITEMS_AT_ONCE, respond_in_slices
from broker.api.outcome import NO_RESPONSE, PARKED, Outcome
from broker.api.request import Request
from broker.common.errors import Refused
from broker.common.topic_partition import TopicPartition
from broker.replication.replica_manager import ProduceResult, ProduceResults
from broker.replication.validations import (
    Validated,
    are_short,
    unvalidated,
    validated_in_thread,
    validated_on_loop,
)
from broker.replication.waits import FlushWait, ProduceWait
from broker.steps.queue import Slices, finish
from broker.storage.append import first_batch_problem
from broker.storage.log_validator import Appendable
from broker.wait_records.observer import RequestObserver
from protocol.errors import ErrorCode
from protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from protocol.record_batch.peek import is_transactional

_TOPIC_IDS_SINCE = 13
_LEADERS_SINCE = 10
_INTERNAL_WRITER = "__admin_client"  # Kafka lets only this client id write internal topics


Results = list[tuple[TopicPartition, UUID, ProduceResult]]


class Entry(NamedTuple):
    """One partition of the request, and what is wrong with its batch at first sight."""

    key: TopicPartition
    topic_id: UUID
    records: memoryview | None
    batch_problem: ErrorCode


def produce(request: Request[ProduceRequest]) -> Outcome | Slices[Outcome]:
    """Append what the request carries, and respond, or park it until that is replicated."""
    partitions = 0
    for topic in request.body.topic_data:  # a generator expression would take three times as long
        partitions += len(topic.partition_data)
    if partitions > ITEMS_AT_ONCE:
        _keep(request)
    return _paced(_produce(request), partitions)


def _paced(work: Slices[Outcome], partitions: int) -> Outcome | Slices[Outcome]:
    """Do the work for a few partitions at once; return that for many, to be done in slices."""
    if partitions > ITEMS_AT_ONCE:
        return work
    return finish(work)


def _keep(request: Request[ProduceRequest]) -> None:
    """Keep the records until the response, or copies of them."""
    if request.keep():
        return
    for topic in request.body.topic_data:
        for partition in topic.partition_data:
            if partition.records is not None:
                partition.records = memoryview(bytearray(partition.records))


def _produce(request: Request[ProduceRequest]) -> Slices[Outcome]:
    body = request.body
    entries = []
    for entry in _entries(request):
        entries.append(entry)
        yield None
    if request.observer is not None:
        yield from _measure(request.observer, entries)
    if refusal := _whole_problem(body, entries):
        every = [(e.key, e.topic_id, ProduceResult(refusal)) for e in entries]
        _finish(request, every)
        return PARKED
    accepted: dict[TopicPartition, memoryview] = {}
    topic_ids: dict[TopicPartition, UUID] = {}
    refused: Results = []
    for entry in entries:
        error = _problem(request, entry)
        if error or entry.records is None:
            refused.append((entry.key, entry.topic_id, ProduceResult(error)))
        else:
            accepted[entry.key] = entry.records
            topic_ids[entry.key] = entry.topic_id
        yield None
    if not accepted:
        _finish(request, refused)
        return PARKED

    if are_short(accepted.values()):
        return (yield from _append(request, accepted, topic_ids, refused))
    return (yield from _validate(request, accepted, topic_ids, refused))


def _validate(
    request: Request[ProduceRequest],
    accepted: dict[TopicPartition, memoryview],
    topic_ids: dict[TopicPartition, UUID],
    refused: Results,
) -> Slices[Outcome]:
    """Validate long batches, in a worker thread if that takes long, and append them then."""
    services, version = request.services, request.version
    now_ms = services.clock.wall_ms()
    batches = unvalidated(services.replicas.partitions, accepted)
    on_loop = validated_on_loop(batches, version, now_ms)
    if on_loop is not None:
        yield None
        return (yield from _append(request, {**accepted, **on_loop}, topic_ids, refused))
    if len(accepted) <= ITEMS_AT_ONCE and not request.keep():
        accepted = {key: memoryview(bytearray(each)) for key, each in accepted.items()}
        batches = unvalidated(services.replicas.partitions, accepted)

    def append(validated: Validated) -> Outcome | Slices[Outcome]:
        appending = _append(request, {**accepted, **validated}, topic_ids, refused)
        return _paced(appending, len(accepted))

    return request.offload(partial(validated_in_thread, batches, version, now_ms), append)


def _append(
    request: Request[ProduceRequest],
    accepted: Mapping[TopicPartition, Appendable],
    topic_ids: dict[TopicPartition, UUID],
    refused: Results,
) -> Slices[Outcome]:
    """Append what was accepted, and respond, or park the request until that is replicated."""
    body = request.body

    def answer(results: ProduceResults) -> None:
        reached = [(key, topic_ids[key], result) for key, result in results.items()]
        flushing = body.acks and request.services.logs.is_flushing
        if flushing and (unsafe := _unsafe(request, results)):
            if request.wait is None:  # otherwise the record describes the wait for the replicas
                request.wait = FlushWait(reached + refused)
            flushed = partial(request.attempt, _finish_flushed, request, reached, refused)
            request.services.logs.after_flush(unsafe, flushed)
        else:
            _finish(request, reached + refused)

    operation = yield from request.services.replicas.append_records(
        body.timeout_ms, body.acks, accepted, request.version, answer
    )
    if operation is None:
        return PARKED
    request.park(operation, ProduceWait(operation, request.services.replicas.partitions, refused))
    return PARKED


def _measure(observer: RequestObserver, entries: list[Entry]) -> Slices[None]:
    """Measure the records while their memory is valid."""
    for key, _, records, _ in entries:
        if records is not None:
            observer.measure(key, records)
        yield None


def _entries(request: Request[ProduceRequest]) -> Iterator[Entry]:
    version = request.version
    by_id = version >= _TOPIC_IDS_SINCE
    for topic in request.body.topic_data:
        name = topic.name
        if by_id:
            known = request.services.image.topic_by_id(topic.topic_id)
            name = "" if known is None else known.name
        for partition in topic.partition_data:
            records, problem = None, ErrorCode.INVALID_RECORD
            if partition.records is not None:
                records = memoryview(partition.records)
                problem = first_batch_problem(records, version)
            yield Entry(TopicPartition(name, partition.index), topic.topic_id, records, problem)


def _whole_problem(body: ProduceRequest, entries: list[Entry]) -> ErrorCode:
    """What refuses the request as a whole, before any partition is looked at by itself.

    Kafka looks for transactional batches first, and stumbles there over bytes that are no batch.
    """
    for _, _, records, problem in entries:
        if problem is ErrorCode.CORRUPT_MESSAGE:
            return problem
        if not problem and records is not None and is_transactional(records):
            return (
                ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
                if body.transactional_id is None
                else ErrorCode.INVALID_TXN_STATE
            )
    return ErrorCode.NONE if body.acks in (-1, 0, 1) else ErrorCode.INVALID_REQUIRED_ACKS


def _problem(request: Request[ProduceRequest], entry: Entry) -> ErrorCode:
    """What refuses a partition before its log is asked, in Kafka's order."""
    topic = request.services.image.topic(entry.key.topic)
    if topic is None:
        by_id = request.version >= _TOPIC_IDS_SINCE
        return ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if not 0 <= entry.key.partition < len(topic.partitions):
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if entry.batch_problem:
        return entry.batch_problem
    if topic.internal and request.client_id != _INTERNAL_WRITER:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    return ErrorCode.NONE


def _unsafe(request: Request[ProduceRequest], results: ProduceResults) -> list[TopicPartition]:
    """The partitions whose new records must be on the disk before they are acknowledged."""
    awaits_flush = request.services.logs.awaits_flush
    return [
        key
        for key, result in results.items()
        if not result.error and awaits_flush(key, result.base_offset)
    ]


def _finish_flushed(
    request: Request[ProduceRequest],
    reached: Results,
    refused: Results,
) -> None:
    """Answer, now that the disk has what was appended, or has refused it."""
    for key, _, result in reached:
        if not result.error and request.services.logs.is_offline(key):
            result.error, result.base_offset = ErrorCode.KAFKA_STORAGE_ERROR, -1
    _finish(request, reached + refused)


def _finish(
    request: Request[ProduceRequest],
    results: Results,
) -> None:
    """Respond, in slices if there is much to tell."""
    responding = _respond(request, results)
    items = len(results)
    for _, _, result in results:
        items += len(result.record_errors)
    if items > ITEMS_AT_ONCE:
        return respond_in_slices(request, responding)
    request.respond(finish(responding))
    return None


def _respond(
    request: Request[ProduceRequest],
    results: Results,
) -> Slices[ProduceResponse | Outcome]:
    """The response; for acks=0 there is none, or the connection ends."""
    if request.observer is not None:
        yield from _observe(request.observer, results)
    quota = request.services.client_quotas.produce
    throttle_ms = quota.record(request.client_id, request.size_bytes) if quota.quotas_enabled else 0
    if throttle_ms:
        request.throttle(throttle_ms)
    if request.body.acks != 0:
        response = yield from _response(request.version, results)
        response.throttle_time_ms = throttle_ms
        if request.version >= _LEADERS_SINCE:
            _tell_leaders(request, response)
        return response
    failed = [f"{key}: {result.error.name}" for key, _, result in results if result.error]
    if failed:
        raise Refused(f"a produce with acks=0 failed ({', '.join(failed)})")
    return NO_RESPONSE


def _observe(observer: RequestObserver, results: Results) -> Slices[None]:
    for key, _, result in results:
        observer.add_result(key, result.base_offset, result.error)
        yield None


def _tell_leaders(request: Request[ProduceRequest], response: ProduceResponse) -> None:
    """Add who leads where the client has asked the wrong node (KIP-951)."""
    image = request.services.image
    leaders = Leaders(image)
    for topic in response.responses:
        for answer in topic.partition_responses:
            if answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                leader = leaders.of(image.topic(topic.name), answer.index)
                answer.current_leader = LeaderIdAndEpoch(
                    leader_id=leader.node_id, leader_epoch=leader.epoch
                )
    response.node_endpoints = [
        NodeEndpoint(node_id=broker.node_id, host=broker.host, port=broker.port)
        for broker in leaders.endpoints()
    ]


def _response(version: int, results: Results) -> Slices[ProduceResponse]:
    topics: dict[object, TopicProduceResponse] = {}
    for key, topic_id, result in results:
        name: object = topic_id if version >= _TOPIC_IDS_SINCE else key.topic
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = TopicProduceResponse(
                name=key.topic, topic_id=topic_id, partition_responses=[]
            )
        record_errors = []
        for index, text in result.record_errors:
            record_errors.append(
                BatchIndexAndErrorMessage(batch_index=index, batch_index_error_message=text)
            )
            yield None
        topic.partition_responses.append(
            PartitionProduceResponse(
                index=key.partition,
                error_code=result.error,
                base_offset=result.base_offset,
                log_append_time_ms=result.log_append_time,
                log_start_offset=result.log_start_offset,
                record_errors=record_errors,
                error_message=result.message,
            )
        )
        yield None
    return ProduceResponse(responses=list(topics.values()))
