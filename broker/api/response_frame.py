"""Encodes a response, or else an error response, into one frame.

response --> encode --> frame
| a string too long for the protocol, or an exception, logged and counted
v
error response --> encode --> frame
| none in Kafka, or another exception
v
None: the connection is closed
"""

from __future__ import annotations

from typing import Any

from broker.api.error_responses.table import error_response
from broker.api.request import Request
from protocol.codec import Output, StringTooLong, encode_into
from protocol.errors import ErrorCode
from protocol.headers import begin_response

# A response, and its frame, whose length field is not written yet.
ResponseFrame = tuple[object, Output]


def response_frame(request: Request[Any], response: object) -> ResponseFrame | None:
    """Encode the response, or else the error response; None if that cannot be encoded either."""
    if request.encoded is not None:
        return response, request.encoded
    try:
        out = Output()
        begin_response(out, request.header)
        encode_into(out, response, request.version)
        return response, out
    except StringTooLong:
        pass  # a message that quotes a long name; Kafka responds with an error as well
    except Exception as error:
        request.services.unexpected_errors.in_request(request, error)
    throttle_time_ms = getattr(response, "throttle_time_ms", 0)
    return error_frame(request, ErrorCode.UNKNOWN_SERVER_ERROR, throttle_time_ms=throttle_time_ms)


def error_frame(
    request: Request[Any], code: ErrorCode, message: str | None = None, throttle_time_ms: int = 0
) -> ResponseFrame | None:
    """Encode the error response; None if there is none, or if it cannot be encoded.

    A request whose body has not been decoded has none. *throttle_time_ms* is set if it is not 0.
    """
    if request.body is None:
        return None
    try:
        response: Any = error_response(request.body, request.version, code, message)
        if response is None:
            return None
        if throttle_time_ms:
            response.throttle_time_ms = throttle_time_ms
        out = Output()
        begin_response(out, request.header)
        encode_into(out, response, request.version)
        return response, out
    except StringTooLong:
        return None
    except Exception as error:
        request.services.unexpected_errors.in_request(request, error)
        return None
