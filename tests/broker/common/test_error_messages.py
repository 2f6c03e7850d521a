"""The general messages of error codes."""

from __future__ import annotations

from broker.common.error_messages import message_of
from protocol.errors import ErrorCode


def test_an_error_code_has_the_message_that_kafkas_clients_show() -> None:
    """As in responses of Kafka that have no other message."""
    message = message_of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    assert message == "This server does not host this topic-partition."


def test_a_code_whose_message_no_response_needs_has_none() -> None:
    """Its responses have no message either."""
    assert message_of(ErrorCode.OFFSET_OUT_OF_RANGE) is None
