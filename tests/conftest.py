"""Virtual time for every test: a thirty-second long poll takes no time at all."""

from __future__ import annotations

from typing import Any

import pytest
from trio.testing import MockClock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Trio, with a clock that jumps to the next deadline as soon as every task waits."""
    return "trio", {"clock": MockClock(autojump_threshold=0)}
