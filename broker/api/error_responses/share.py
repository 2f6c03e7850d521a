"""Error responses of requests about share partitions and their states.

Each function is the ``getErrorResponse`` of Kafka's request class of that name. In a response about
states each share partition has the error: Read, Write and ReadSummary add the message of the error
code, Initialize and Delete only that of a refused client (``toGlobalErrorResponse``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from broker.api.error_responses.failure import ErrorResponses, Failure
from protocol.errors import ErrorCode
from protocol.messages import delete_share_group_state as delete
from protocol.messages import initialize_share_group_state as initialize
from protocol.messages import read_share_group_state as read
from protocol.messages import read_share_group_state_summary as read_summary
from protocol.messages import write_share_group_state as write
from protocol.messages.share_acknowledge import ShareAcknowledgeRequest, ShareAcknowledgeResponse
from protocol.messages.share_fetch import ShareFetchRequest, ShareFetchResponse


def _failed(
    response: Any, topic_result: Any, partition_result: Any, *, has_message: bool
) -> Callable[[Any, Failure], Any]:
    """A function that makes the error response, of these classes, of an API."""

    def error_response(body: Any, failure: Failure) -> Any:
        is_refused = failure.code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        message = failure.default_message if has_message or is_refused else None
        return response(
            results=[
                topic_result(
                    topic_id=topic.topic_id,
                    partitions=[
                        partition_result(
                            partition=each.partition,
                            error_code=failure.code,
                            error_message=message,
                        )
                        for each in topic.partitions
                    ],
                )
                for topic in body.topics
            ]
        )

    return error_response


def _share_fetch(_body: ShareFetchRequest, failure: Failure) -> ShareFetchResponse:
    return ShareFetchResponse(error_code=failure.code, responses=[], node_endpoints=[])


def _share_acknowledge(
    _body: ShareAcknowledgeRequest, failure: Failure
) -> ShareAcknowledgeResponse:
    return ShareAcknowledgeResponse(error_code=failure.code, responses=[], node_endpoints=[])


ERROR_RESPONSES: Final[ErrorResponses] = {
    ShareFetchRequest: _share_fetch,
    ShareAcknowledgeRequest: _share_acknowledge,
    initialize.InitializeShareGroupStateRequest: _failed(
        initialize.InitializeShareGroupStateResponse,
        initialize.InitializeStateResult,
        initialize.PartitionResult,
        has_message=False,
    ),
    read.ReadShareGroupStateRequest: _failed(
        read.ReadShareGroupStateResponse,
        read.ReadStateResult,
        read.PartitionResult,
        has_message=True,
    ),
    write.WriteShareGroupStateRequest: _failed(
        write.WriteShareGroupStateResponse,
        write.WriteStateResult,
        write.PartitionResult,
        has_message=True,
    ),
    delete.DeleteShareGroupStateRequest: _failed(
        delete.DeleteShareGroupStateResponse,
        delete.DeleteStateResult,
        delete.PartitionResult,
        has_message=False,
    ),
    read_summary.ReadShareGroupStateSummaryRequest: _failed(
        read_summary.ReadShareGroupStateSummaryResponse,
        read_summary.ReadStateSummaryResult,
        read_summary.PartitionResult,
        has_message=True,
    ),
}
