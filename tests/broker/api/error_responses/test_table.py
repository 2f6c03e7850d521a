"""The error response of every API that is served."""

from __future__ import annotations

import random
from typing import Any

import pytest

from broker.api.error_responses.table import ERROR_RESPONSES, error_response
from broker.api.table import HANDLERS
from protocol.codec import decode, encode
from protocol.errors import ErrorCode
from protocol.messages import RESPONSES
from protocol.messages.produce import ProduceRequest
from tests.protocol.random_messages import random_message


def test_every_api_that_is_served_has_an_error_response() -> None:
    """No other API has one."""
    assert set(ERROR_RESPONSES) == set(HANDLERS)


@pytest.mark.parametrize("cls", HANDLERS, ids=lambda cls: cls.__name__)
def test_every_version_can_be_encoded(cls: Any) -> None:
    """With random requests, and with and without a message."""
    rng = random.Random(cls.__name__)
    response = RESPONSES[cls.__spec__.key]
    for version in cls.__spec__.versions:
        for message in (None, "why"):
            body = random_message(rng, cls, version)
            if cls is ProduceRequest:
                body.acks = 1
            error: Any = error_response(
                body, version, ErrorCode.GROUP_AUTHORIZATION_FAILED, message
            )
            decode(response, version, encode(error, version))
