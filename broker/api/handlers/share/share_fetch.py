"""ShareFetch: acquires records for a member of a share group, and takes acknowledgements (KIP-932).

Behaviour: the session is resolved first. The acknowledgements take effect at once; then records are
acquired, or the request is parked in the ShareFetch purgatory. The response has the results of
both. With the final epoch nothing is fetched, and everything that the member has acquired is
released after the response. A renewal of locks (KIP-1222) fetches nothing. An unknown acquire mode
fails the request when it fetches, so that the acknowledgements take effect. A consumer that exceeds
its quota gets a response without records that has the throttle time and the results of its
acknowledgements, and has acquired the records.

Waiting fetches are checked by appends, by locks that expire, when the start offset of the share
partition moves, when an acknowledgement or the end of a session begins, and when another fetch of
the partition has ended. As in Kafka, released records are available when that has been stored,
which completes no fetch; a fetch that waits gets them with the next check, or at its timeout. When
the leader moves, it ends empty at its timeout.

Deviations: a topic id that is unknown is the error of its partitions; in Kafka 4.3 the whole
request fails. A fetch whose client disconnects ends; in Kafka it waits on, and acquires the next
records. A group with read_committed may begin within an aborted batch; in Kafka that fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from broker.api.handlers.share.share_fetch_response import ShareFetchResponder
from broker.api.handlers.share.share_requests import (
    Errors,
    acknowledge,
    check_member,
    count_items,
    find_partitions,
    named_partitions,
)
from broker.api.long_request import ITEMS_AT_ONCE, respond_in_slices
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.do_nothing import do_nothing
from broker.common.errors import ApiError
from broker.common.java_numbers import double_to_int
from broker.common.topic_partition import TopicPartition
from broker.share.acquisition import AcquireMode
from broker.share.sessions import (
    FetchContext,
    SessionKey,
    fetch_context,
    session_key,
)
from broker.share.share_fetch import ShareFetchParams, ShareFetchResult, ShareFetchResults
from broker.share.share_partition_key import SharePartitionKey, share_partition_key
from broker.share.waits import ShareFetchWait, ShareSessionLimitWait, ShareStateWait
from broker.steps.queue import Slices, finish
from broker.wait_records.observer import RequestObserver
from protocol.errors import ErrorCode
from protocol.messages.share_fetch import (
    AcknowledgementBatch,
    ShareFetchRequest,
    ShareFetchResponse,
)
from purgatories.timer.timer_task import TimerTask

# To look up a member of an enumeration by its value takes 0.5 µs in CPython 3.11.
_MODES: Final = {int(mode): mode for mode in AcquireMode}


_Result = ShareFetchResponse | Outcome


def share_fetch(request: Request[ShareFetchRequest]) -> _Result | Slices[_Result]:
    """Take the acknowledgements, acquire records, and respond now or park the request.

    A request of many partitions or acknowledgements, or with a session of many partitions, is
    handled in slices.
    """
    body = request.body
    items = len(body.forgotten_topics_data) + count_items(body.topics)
    for topic in body.forgotten_topics_data:
        items += len(topic.partitions)
    sessions = request.services.share_partitions.sessions.sessions
    session = sessions.get(session_key(body.group_id or "", body.member_id or ""))
    if session is not None:
        items += len(session.partitions)
    slices = _share_fetch(request)
    return slices if items > ITEMS_AT_ONCE else finish(slices)


def _share_fetch(request: Request[ShareFetchRequest]) -> Slices[_Result]:
    key, body = check_member(request), request.body
    if body.is_renew_ack and any(
        (body.max_wait_ms, body.min_bytes, body.max_bytes, body.max_records)
    ):
        raise ApiError(ErrorCode.INVALID_REQUEST)
    wanted = yield from named_partitions(key.group_id, body.topics)
    forgotten = [
        share_partition_key(key.group_id, topic.topic_id, each)
        for topic in body.forgotten_topics_data
        for each in topic.partitions
    ]
    batches = {each: found for each, found in wanted.items() if found}
    try:
        context = fetch_context(
            request.services.share_partitions.sessions,
            key,
            body.share_session_epoch,
            list(wanted),
            forgotten,
            acknowledges=bool(batches),
            repeats=sum(len(topic.partitions) for topic in body.topics) > len(wanted),
        )
    except ApiError as error:
        if error.code is not ErrorCode.SHARE_SESSION_LIMIT_REACHED:
            raise
        return _refuse_later(request, error)
    if body.share_session_epoch == 0:
        session = context.session
        request.sink.client.on_closed = partial(
            request.services.share_partitions.connection_closed, session
        )
    return (yield from _Exchange(request, key, context).run(batches))


def _refuse_later(request: Request[ShareFetchRequest], error: ApiError) -> Outcome:
    """Refuse a session after the request's wait, so that the client does not repeat it at once."""
    wait = _LimitWait(request, error)
    request.services.share_partitions.timer.add(wait)
    request.wait = ShareSessionLimitWait(wait, request.body.group_id or "")
    request.on_disconnect = wait.cancel
    return PARKED


class _LimitWait(TimerTask):
    """The time until a refusal is sent."""

    __slots__ = ("_error", "_request")

    def __init__(self, request: Request[ShareFetchRequest], error: ApiError) -> None:
        super().__init__(max(0, request.body.max_wait_ms))
        self._request = request
        self._error = error

    def run(self) -> None:
        """Send the refusal."""
        self._request.failed(self._error)


class _Exchange:
    """One ShareFetch: its response has both the acknowledgements and the records."""

    __slots__ = (
        "_acknowledged",
        "_context",
        "_errors",
        "_fetched",
        "_is_parked",
        "_key",
        "_names",
        "_request",
    )

    def __init__(
        self, request: Request[ShareFetchRequest], key: SessionKey, context: FetchContext
    ) -> None:
        self._request = request
        self._key = key
        self._context = context
        self._acknowledged: Errors | None = None
        self._names: dict[SharePartitionKey, TopicPartition] = {}
        self._errors: Errors = {}
        self._fetched: ShareFetchResults | None = None
        self._is_parked = False

    def run(
        self, batches: Mapping[SharePartitionKey, Sequence[AcknowledgementBatch]]
    ) -> Slices[_Result]:
        """Apply the acknowledgements, then fetch."""
        request = self._request
        fetched = () if request.body.is_renew_ack else self._context.to_fetch
        names, errors = yield from find_partitions(request, dict.fromkeys((*batches, *fetched)))
        yield from acknowledge(request, self._key, batches, errors, self._acknowledgements_done)
        for each in fetched:
            if each in names:
                self._names[each] = names[each]
            else:
                self._errors[each] = errors[each]
        if self._context.is_final or request.body.is_renew_ack:
            self._fetched = {}
        else:
            yield from self._fetch()
        if self._fetched is not None and self._acknowledged is not None:
            return (yield from self._building(self._fetched, self._acknowledged))
        if self._fetched is not None:
            request.wait = ShareStateWait(self._key.group_id)
        self._is_parked = True
        return PARKED

    def _fetch(self) -> Slices[None]:
        request, services = self._request, self._request.services
        if not self._names:
            self._fetched = {}
            return
        mode = _MODES.get(request.body.share_acquire_mode)
        if mode is None:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        params = self._params(mode)
        fetching = services.share_partitions.fetch(params, self._names, self._fetch_done)
        waiting = yield from fetching
        if waiting is not None:
            hosted, now_ms = services.replicas.partitions, services.clock.now_ms
            wait = ShareFetchWait(waiting.operation, waiting.fetch, hosted, now_ms)
            if request.observer is not None:
                waiting.fetch.before_acquiring = wait.keep_condition
            request.park(waiting.operation, wait)

    def _params(self, mode: AcquireMode) -> ShareFetchParams:
        request, body = self._request, self._request.body
        services = request.services
        max_bytes = min(body.max_bytes, services.config.fetch_max_bytes)
        quota = services.client_quotas.fetch
        if quota.quotas_enabled:
            user = request.session.principal.name
            allowed = quota.max_value_in_quota_window(user, request.client_id)
            max_bytes = min(max_bytes, double_to_int(allowed))
        return ShareFetchParams(
            group_id=self._key.group_id,
            member_id=self._key.member_id,
            max_wait_ms=body.max_wait_ms,
            min_bytes=body.min_bytes,
            max_bytes=max_bytes,
            max_records=body.max_records,
            batch_size=body.batch_size,
            mode=mode,
            isolation=services.share_partitions.settings(self._key.group_id).isolation,
        )

    def _acknowledgements_done(self, errors: Errors) -> None:
        self._acknowledged = errors
        self._respond_if_complete()

    def _fetch_done(self, results: ShareFetchResults) -> None:
        self._fetched = results
        if self._is_parked and self._acknowledged is None:
            self._wait_for_acknowledgements()
        self._respond_if_complete()

    def _wait_for_acknowledgements(self) -> None:
        """End the wait for records, and wait until the acknowledgements are stored."""
        request = self._request
        fetch_wait, wait = request.wait, ShareStateWait(self._key.group_id)
        request.services.request_channel.park_again(request, wait, do_nothing)
        if fetch_wait is not None:
            fetch_wait.release()

    def _respond_if_complete(self) -> None:
        if self._is_parked and self._fetched is not None and self._acknowledged is not None:
            self._request.attempt(self._respond, self._fetched, self._acknowledged)

    def _respond(self, results: ShareFetchResults, acknowledged: Errors) -> None:
        building = self._building(results, acknowledged)
        if len(results) + len(acknowledged) > ITEMS_AT_ONCE:
            respond_in_slices(self._request, building)
        else:
            self._request.respond(finish(building))

    def _building(
        self, results: ShareFetchResults, acknowledged: Errors
    ) -> Slices[ShareFetchResponse]:
        """Make the response, and end the session after the final epoch."""
        request, context = self._request, self._context
        if request.observer is not None:
            self._observe(request.observer, results)
        for each, (code, _) in self._errors.items():
            results[each] = ShareFetchResult(code)
        responder = ShareFetchResponder(request, context, self._key.group_id)
        response = yield from responder.building(results, acknowledged)
        if context.is_final:
            request.services.share_partitions.sessions.end(context.session)
        return response

    def _observe(self, observer: RequestObserver, results: ShareFetchResults) -> None:
        for each, name in self._names.items():
            result = results.get(each)
            if result is not None:
                offset = result.acquired[0].first if result.acquired else -1
                observer.deliver(name, offset, result.error, result.records)
