"""Virtual time for every test, and the same examples of random search in every run.

``make fuzz`` loads the profile ``fresh`` instead, which draws other examples in each run.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings
from trio.testing import MockClock

# An unexpected exception ends the broker, in this process or in one that a test starts.
os.environ["ANTECHAMBER_STRICT"] = "1"

# No deadline: how long an example takes depends on the machine.
settings.register_profile("derandomized", deadline=None, derandomize=True)
settings.register_profile("fresh", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "derandomized"))


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Trio, with a clock that jumps to the next deadline as soon as every task waits."""
    return "trio", {"clock": MockClock(autojump_threshold=0)}
