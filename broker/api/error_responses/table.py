"""The error response of each API, for a request that fails as a whole (``getErrorResponse``).

The handler does not produce such an error: it is an unexpected exception, a fault rule, or a
missing authorization.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from broker.api.error_responses.failure import ErrorResponses, Failure
from broker.api.packages import PACKAGES
from protocol.errors import ErrorCode


def error_response(
    body: Any, version: int, code: ErrorCode, message: str | None = None
) -> object | None:
    """The response with *code* in each place where Kafka has it; None: close the connection.

    *message* is used where Kafka uses the message of the particular error. It is None for an
    unexpected exception, whose text must not leave the broker.
    """
    responses = error_responses(PACKAGES[body.__spec__.key])
    return responses[type(body)](body, Failure(version, code, message))


def error_responses(package: str) -> ErrorResponses:
    """The error responses of the APIs of a package, which are imported on first use."""
    found: ErrorResponses = import_module(f"broker.api.error_responses.{package}").ERROR_RESPONSES
    return found
