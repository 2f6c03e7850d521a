"""The response to a Produce request, made from the results of its partitions."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from broker.api.handlers.current_leader import Leaders
from broker.api.long_request import ITEMS_AT_ONCE, respond_in_slices
from broker.api.outcome import NO_RESPONSE, Outcome
from broker.api.request import Request
from broker.common.errors import Refused
from broker.common.topic_partition import TopicPartition
from broker.replication.produce_result import ProduceResult
from broker.steps.queue import Slices, map_in_slices
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

TOPIC_IDS_SINCE: Final = 13
_LEADERS_SINCE: Final = 10

Results = list[tuple[TopicPartition, UUID, ProduceResult]]


def merged(appended: Results, refused: Results) -> Results:
    """The results with each partition once: a refusal replaces what was appended for it."""
    if not refused:
        return appended
    results = {(each[0], each[1]): each for each in (*appended, *refused)}
    return list(results.values())


def respond(request: Request[ProduceRequest], results: Results) -> None:
    """Respond with *results* in their order, in slices if they are many.

    With ``acks=0`` there is no response, and an error closes the connection.
    """
    items = len(results)
    for _, _, result in results:
        items += len(result.record_errors)
    if items > ITEMS_AT_ONCE:
        respond_in_slices(request, _in_slices(request, results))
        return
    response = _Response(request)
    for key, topic_id, result in results:
        response.add(key, topic_id, result, list(map(_record_error, result.record_errors)))
    request.respond(response.finish())


def _in_slices(
    request: Request[ProduceRequest], results: Results
) -> Slices[ProduceResponse | Outcome]:
    response = _Response(request)
    for key, topic_id, result in results:
        record_errors = yield from map_in_slices(_record_error, result.record_errors)
        response.add(key, topic_id, result, record_errors)
        yield None
    return response.finish()


class _Response:
    """A response that partitions are added to."""

    __slots__ = ("_failed", "_request", "_topics")

    def __init__(self, request: Request[ProduceRequest]) -> None:
        self._request = request
        self._topics: dict[object, TopicProduceResponse] = {}
        self._failed: list[tuple[TopicPartition, ErrorCode]] = []

    def add(
        self,
        key: TopicPartition,
        topic_id: UUID,
        result: ProduceResult,
        record_errors: list[BatchIndexAndErrorMessage],
    ) -> None:
        request = self._request
        if request.observer is not None:
            request.observer.add_result(key, result.base_offset, result.error)
        if result.error:
            self._failed.append((key, result.error))
        if request.body.acks == 0:
            return
        name: object = topic_id if request.version >= TOPIC_IDS_SINCE else key.topic
        topic = self._topics.get(name)
        if topic is None:
            topic = self._topics[name] = TopicProduceResponse(
                name=key.topic, topic_id=topic_id, partition_responses=[]
            )
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

    def finish(self) -> ProduceResponse | Outcome:
        request = self._request
        quota = request.services.client_quotas.produce
        if quota.quotas_enabled:
            user = request.session.principal.name
            throttle = quota.record(user, request.client_id, request.size_bytes)
            if throttle is not None:
                request.throttle(throttle)
        if request.body.acks == 0:
            if self._failed:
                errors = ", ".join(f"{key}: {error.name}" for key, error in self._failed)
                raise Refused(f"a produce with acks=0 failed ({errors})")
            return NO_RESPONSE
        response = ProduceResponse(responses=list(self._topics.values()))
        if self._failed and request.version >= _LEADERS_SINCE:
            self._add_current_leaders(response)
        return response

    def _add_current_leaders(self, response: ProduceResponse) -> None:
        """Add the leaders of the partitions that another node leads (KIP-951)."""
        image = self._request.services.image
        leaders = Leaders(image, self._request.session.listener)
        for topic in response.responses:
            for partition in topic.partition_responses:
                if partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                    leader = leaders.of(image.topic(topic.name), partition.index)
                    partition.current_leader = LeaderIdAndEpoch(
                        leader_id=leader.node_id, leader_epoch=leader.epoch
                    )
        response.node_endpoints = [
            NodeEndpoint(node_id=node_id, host=host, port=port)
            for node_id, host, port in leaders.endpoints()
        ]


def _record_error(error: tuple[int, str | None]) -> BatchIndexAndErrorMessage:
    index, message = error
    return BatchIndexAndErrorMessage(batch_index=index, batch_index_error_message=message)
