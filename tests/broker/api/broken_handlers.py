"""A broker without strict mode, and handlers that fail, for the tests of containment."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.request import Request
from broker.api.table import API_BY_KEY, HANDLERS


def contain_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the nodes made from now on contain unexpected exceptions, as they do for users."""
    monkeypatch.delenv("ANTECHAMBER_STRICT")


def break_handler(monkeypatch: pytest.MonkeyPatch, cls: Any, error: Exception) -> None:
    """Let the handler of an API raise *error*."""

    def broken(_request: Request[Any]) -> None:
        raise error

    replace_handler(monkeypatch, cls, broken)


def replace_handler(monkeypatch: pytest.MonkeyPatch, cls: Any, handler: Any) -> None:
    """Let *handler* handle an API."""
    assert cls in HANDLERS
    monkeypatch.setitem(API_BY_KEY, cls.__spec__.key, (cls, handler))
