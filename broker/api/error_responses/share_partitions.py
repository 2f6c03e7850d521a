"""The error responses of the APIs of share partitions, which have no message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.api.error_responses.failure import Failure
from protocol.messages.share_acknowledge import ShareAcknowledgeRequest, ShareAcknowledgeResponse
from protocol.messages.share_fetch import ShareFetchRequest, ShareFetchResponse


def _share_fetch(_body: ShareFetchRequest, failure: Failure) -> ShareFetchResponse:
    return ShareFetchResponse(error_code=failure.code, responses=[], node_endpoints=[])


def _share_acknowledge(
    _body: ShareAcknowledgeRequest, failure: Failure
) -> ShareAcknowledgeResponse:
    return ShareAcknowledgeResponse(error_code=failure.code, responses=[], node_endpoints=[])


SHARE_PARTITIONS: dict[Any, Callable[[Any, Failure], object | None]] = {
    ShareFetchRequest: _share_fetch,
    ShareAcknowledgeRequest: _share_acknowledge,
}
