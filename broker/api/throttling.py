"""The quotas of requests of every API, and the throttle in the response (KIP-219).

    handler --> throttle --> encode --> respond, mute the connection

The response is sent at once and contains the throttle time. The connection begins no other request
for that time. A request that has exceeded several quotas has the longest of their times.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from broker.api.request import Request
from broker.controller.partitions.new_topics import Spend, unlimited
from broker.quotas.controller_mutation_quota_manager import ControllerMutationQuota
from broker.quotas.handling_time import HandlingTime
from protocol.errors import ErrorCode

# SaslHandshake and SaslAuthenticate, which Kafka handles before requests are measured, and
# WriteTxnMarkers, which brokers send. (Fetches of followers are exempt as well.)
_EXEMPT: Final = frozenset({17, 36, 27})


def begin_step(request: Request[Any]) -> None:
    """Measure a step of the request's handling, until `HandlingTime.end`."""
    if request.handling_time is None:
        quota = request.services.client_quotas.request
        is_exempt = request.header.api_key in _EXEMPT
        request.handling_time = HandlingTime(quota.thread_time_ns, is_exempt=is_exempt)
    request.handling_time.begin()


def exempt(request: Request[Any]) -> None:
    """Do not throttle the request for its time."""
    if request.handling_time is not None:
        request.handling_time.is_recorded = True


def record_time(request: Request[Any], error: ErrorCode = ErrorCode.NONE) -> None:
    """Check the quota ``request_percentage`` once, if it applies to the request.

    An exempt request is measured if its client is refused (``RequestHandlerHelper.handleError``).
    """
    handling_time = request.handling_time
    if handling_time is None:
        return
    if handling_time.is_recorded and error is not ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
        return
    handling_time.is_recorded = True
    throttle = request.services.client_quotas.request.record_time(
        request.session.principal.name, request.client_id, handling_time.spent_ns
    )
    if throttle is not None:
        request.throttle(throttle)


def throttle_fetch(request: Request[Any], size_bytes: int) -> bool:
    """Check the quotas of a fetch with a response of that size; returns whether one is exceeded.

    Such a response has no records, and its bytes are not counted.
    """
    record_time(request)
    quota = request.services.client_quotas.fetch
    if quota.quotas_enabled:
        user = request.session.principal.name
        exceeded = quota.record(user, request.client_id, size_bytes)
        if exceeded is not None:
            request.throttle(exceeded)
        if request.throttled is not None:
            quota.unrecord(user, request.client_id, size_bytes)
    return request.throttled is not None


def throttle(request: Request[Any], response: Any) -> None:
    """Check the request's time, and set the throttle time of its response, if it has one."""
    record_time(request)
    if request.throttled is not None and hasattr(response, "throttle_time_ms"):
        response.throttle_time_ms = request.throttled.time_ms


@contextmanager
def limited_mutations(request: Request[Any], *, strict_since: int) -> Iterator[Spend]:
    """The function that records partitions that the request creates or deletes.

    It refuses them, in versions from *strict_since* on, if the quota ``controller_mutation_rate``
    is exceeded. In all versions the client is throttled.
    """
    quota = _mutation_quota(request, is_strict=request.version >= strict_since)
    if quota is None:
        yield unlimited
        return
    try:
        yield quota.record
    finally:
        if quota.throttle is not None:
            request.throttle(quota.throttle)


def limited_auto_creation(request: Request[Any]) -> Spend:
    """The same function for a topic that the request only names; its client is not throttled."""
    quota = _mutation_quota(request, is_strict=True)
    return unlimited if quota is None else quota.record


def _mutation_quota(request: Request[Any], *, is_strict: bool) -> ControllerMutationQuota | None:
    quotas = request.services.controller.client_quotas.mutations
    if not quotas.quotas_enabled:
        return None
    user, now_ms = request.session.principal.name, request.services.clock.now_ms()
    return quotas.quota_of(user, request.client_id, now_ms, is_strict=is_strict)
