"""The error response of every API that is served."""

from __future__ import annotations

import random
from typing import Any

import pytest

from broker.api.error_responses.table import error_response, error_responses
from broker.api.packages import PACKAGES
from protocol.codec import decode, encode
from protocol.errors import ErrorCode
from protocol.messages import REQUESTS, RESPONSES
from protocol.messages.produce import ProduceRequest
from tests.protocol.random_messages import random_message


@pytest.mark.parametrize("package", sorted(set(PACKAGES.values())))
def test_every_api_of_a_package_has_an_error_response(package: str) -> None:
    """No other API has one there."""
    assert set(error_responses(package)) == {
        cls for key, cls in REQUESTS.items() if PACKAGES[key] == package
    }


@pytest.mark.parametrize("cls", REQUESTS.values(), ids=lambda cls: cls.__name__)
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
