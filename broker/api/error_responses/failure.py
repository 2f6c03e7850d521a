"""The error of a request that fails as a whole, and its message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from broker.common.errors import INVALID_REQUEST_WORDS
from protocol.errors import ErrorCode

# Kafka's messages (``org.apache.kafka.common.protocol.Errors``), for responses that always have
# one.
_MESSAGES = {
    ErrorCode.UNKNOWN_SERVER_ERROR: (
        "The server experienced an unexpected error when processing the request."
    ),
    ErrorCode.INVALID_REQUEST: INVALID_REQUEST_WORDS,
    ErrorCode.UNSUPPORTED_VERSION: "The version of API is not supported.",
}


class Failure(NamedTuple):
    """An error of a whole request of ``version``.

    ``message`` is the message of this particular error. Most responses have a message only if the
    error has one (Kafka's ``ApiError.fromThrowable``); an unexpected exception has none.
    """

    version: int
    code: ErrorCode
    message: str | None = None

    @property
    def default_message(self) -> str | None:
        """The message of the error code if it is known here, or else ``message``."""
        return _MESSAGES.get(self.code, self.message)


# By class of request, what returns the response; None closes the connection.
ErrorResponses = dict[Any, Callable[[Any, Failure], object | None]]
