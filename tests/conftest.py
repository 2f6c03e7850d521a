"""Virtual time for every test: a thirty-second long poll takes no time at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from trio.testing import MockClock

# How long an example takes says something about the machine, and nothing about the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Trio, with a clock that jumps to the next deadline as soon as every task waits."""
    return "trio", {"clock": MockClock(autojump_threshold=0)}
