"""The message of an error."""

from __future__ import annotations

from broker.api.error_responses.failure import Failure
from protocol.errors import ErrorCode


def test_an_error_code_has_a_message_of_its_own() -> None:
    """Kafka's message for it, whatever the message of the error."""
    failure = Failure(1, ErrorCode.INVALID_REQUEST, "why")

    assert failure.message == "why"
    assert (failure.default_message or "").startswith("This most likely occurs because of")


def test_a_code_without_a_message_has_that_of_the_error() -> None:
    """Or none."""
    assert Failure(1, ErrorCode.GROUP_AUTHORIZATION_FAILED, "why").default_message == "why"
    assert Failure(1, ErrorCode.GROUP_AUTHORIZATION_FAILED).default_message is None


def test_an_unexpected_error_has_a_general_message() -> None:
    """The text of the exception is not in it."""
    failure = Failure(1, ErrorCode.UNKNOWN_SERVER_ERROR)

    assert failure.message is None
    assert failure.default_message == (
        "The server experienced an unexpected error when processing the request."
    )
