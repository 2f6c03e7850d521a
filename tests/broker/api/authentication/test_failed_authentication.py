"""The wait of a login that has failed."""

from __future__ import annotations

from typing import Any, cast

from broker.api.authentication.failed_authentication import FailedAuthenticationWait
from broker.wait_records.causes import TIMED_OUT


def test_only_the_time_ends_the_wait() -> None:
    """Nothing is counted."""
    wait = FailedAuthenticationWait(100, now_ms=1000)

    assert wait.purgatory == "FailedAuthentication"
    assert wait.condition() == {"kind": "failed_authentication"}
    assert wait.timeout_ms == 100
    assert wait.remaining_ms(1040) == 60
    assert wait.remaining_ms(1200) == 0
    assert wait.cause(lambda: cast("Any", None)) is TIMED_OUT
