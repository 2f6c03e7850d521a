"""The topics that may match the regular expressions of a group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.api.authorization.check import DESCRIBE_TOPIC
from broker.api.authorization.checks import is_authorized
from broker.api.request import Request


def visible_topics(request: Request[Any]) -> Callable[[str], bool] | None:
    """Whether the client of *request* may describe a topic; None if it may describe all."""
    if request.services.authorizer is None:
        return None

    def is_visible(name: str) -> bool:
        return is_authorized(request, DESCRIBE_TOPIC, name, is_refusal_logged=False)

    return is_visible
