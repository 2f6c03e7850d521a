"""Applies fault rules to a decoded request before its handler runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.api.request import Request
from broker.common.errors import ApiError, Refused
from broker.faults.actions import Close, Error
from broker.faults.index import RuleIndex
from broker.faults.subject import Subject

Handler = Callable[[Request[Any]], object]


def handle_with_rules(index: RuleIndex, handler: Handler, request: Request[Any]) -> object:
    """Run *handler*, unless a rule fires that acts before; returns what handlers return."""
    services = request.services
    subject = Subject(
        request.header, request.body, request.session, services.node_id, services.image.names.get
    )
    rule, _ = services.faults.fire(index, subject)
    if rule is not None:
        action = rule.spec.action
        if isinstance(action, Error) and not action.after:
            raise ApiError(action.code, f"{rule.words} responds with it")
        if isinstance(action, Close) and not action.after:
            raise Refused(f"{rule.words} closes the connection")
    return handler(request)
