"""Why a request fails as a whole: the error code, and the message for the fields that carry one."""

from __future__ import annotations

from typing import NamedTuple

from broker.common.errors import INVALID_REQUEST_WORDS
from protocol.errors import ErrorCode

# Kafka's own messages (``org.apache.kafka.common.protocol.Errors``), for responses that always
# carry one.
_MESSAGES = {
    ErrorCode.UNKNOWN_SERVER_ERROR: (
        "The server experienced an unexpected error when processing the request."
    ),
    ErrorCode.INVALID_REQUEST: INVALID_REQUEST_WORDS,
}


class Failure(NamedTuple):
    """An error that concerns a whole request of ``version``.

    ``message`` is the message of this error in particular; most responses have one only then
    (Kafka's ``ApiError.fromThrowable``), and an unexpected exception has none.
    """

    version: int
    code: ErrorCode
    message: str | None = None

    @property
    def default_message(self) -> str | None:
        """The message of the error code, whatever the error; None for codes without one here."""
        return _MESSAGES.get(self.code, self.message)
