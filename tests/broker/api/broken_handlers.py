"""A broker without strict mode, and handlers that fail, for the tests of containment."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.request import Request
from broker.api.table import ALL_APIS
from protocol.messages import REQUESTS


def contain_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes made from now on contain unexpected exceptions, as outside of tests."""
    monkeypatch.delenv("ANTECHAMBER_STRICT")


def break_handler(monkeypatch: pytest.MonkeyPatch, cls: Any, error: Exception) -> None:
    """Replace the handler of an API by one that raises *error*."""

    def broken(_request: Request[Any]) -> None:
        raise error

    replace_handler(monkeypatch, cls, broken)


def replace_handler(monkeypatch: pytest.MonkeyPatch, cls: Any, handler: Any) -> None:
    """Make *handler* the handler of an API."""
    assert cls in REQUESTS.values()
    monkeypatch.setitem(ALL_APIS.loaded, cls.__spec__.key, (cls, handler))
