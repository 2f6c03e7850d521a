"""Error responses of requests about share groups.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from typing import Final

from broker.api.error_responses.failure import ErrorResponses, Failure
from protocol.messages.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsResponse,
)
from protocol.messages.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsResponse,
)
from protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
)
from protocol.messages.share_group_describe import (
    DescribedGroup,
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
)
from protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)


def _heartbeat(_body: ShareGroupHeartbeatRequest, failure: Failure) -> ShareGroupHeartbeatResponse:
    return ShareGroupHeartbeatResponse(error_code=failure.code)


def _describe(body: ShareGroupDescribeRequest, failure: Failure) -> ShareGroupDescribeResponse:
    return ShareGroupDescribeResponse(
        groups=[
            DescribedGroup(error_code=failure.code, group_id=group_id, members=[])
            for group_id in body.group_ids
        ]
    )


def _describe_offsets(
    body: DescribeShareGroupOffsetsRequest, failure: Failure
) -> DescribeShareGroupOffsetsResponse:
    return DescribeShareGroupOffsetsResponse(
        groups=[
            DescribeShareGroupOffsetsResponseGroup(
                group_id=group.group_id,
                topics=[],
                error_code=failure.code,
                error_message=failure.message or failure.default_message,
            )
            for group in body.groups
        ]
    )


def _alter_offsets(
    _body: AlterShareGroupOffsetsRequest, failure: Failure
) -> AlterShareGroupOffsetsResponse:
    return AlterShareGroupOffsetsResponse(
        error_code=failure.code, error_message=failure.default_message, responses=[]
    )


def _delete_offsets(
    _body: DeleteShareGroupOffsetsRequest, failure: Failure
) -> DeleteShareGroupOffsetsResponse:
    return DeleteShareGroupOffsetsResponse(
        error_code=failure.code, error_message=failure.default_message, responses=[]
    )


SHARE_GROUPS: Final[ErrorResponses] = {
    ShareGroupHeartbeatRequest: _heartbeat,
    ShareGroupDescribeRequest: _describe,
    DescribeShareGroupOffsetsRequest: _describe_offsets,
    AlterShareGroupOffsetsRequest: _alter_offsets,
    DeleteShareGroupOffsetsRequest: _delete_offsets,
}
