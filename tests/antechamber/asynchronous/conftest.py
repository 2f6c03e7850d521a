"""The event loops of these tests, with real time: the servers are in threads."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Both event loops."""
    name: str = request.param
    return name
