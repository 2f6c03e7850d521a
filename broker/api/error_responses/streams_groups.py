"""Error responses of requests about streams groups.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from typing import Final

from broker.api.error_responses.failure import ErrorResponses, Failure
from protocol.messages.streams_group_describe import (
    DescribedGroup,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
)
from protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
)


def _heartbeat(
    _body: StreamsGroupHeartbeatRequest, failure: Failure
) -> StreamsGroupHeartbeatResponse:
    return StreamsGroupHeartbeatResponse(error_code=failure.code)


def _describe(body: StreamsGroupDescribeRequest, failure: Failure) -> StreamsGroupDescribeResponse:
    return StreamsGroupDescribeResponse(
        groups=[
            DescribedGroup(error_code=failure.code, group_id=group_id, members=[])
            for group_id in body.group_ids
        ]
    )


STREAMS_GROUPS: Final[ErrorResponses] = {
    StreamsGroupHeartbeatRequest: _heartbeat,
    StreamsGroupDescribeRequest: _describe,
}
