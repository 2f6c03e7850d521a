"""What a run must not do without: `ANTECHAMBER_REQUIRE`, names with commas or spaces between.

`jvm`, `docker` and `kafka` make an error of what is skipped where one of these is missing; `parity`
and `clients` ask for tests that take too long for every run.
"""

from __future__ import annotations

import os

import pytest


def required() -> list[str]:
    """The names that were given."""
    return os.environ.get("ANTECHAMBER_REQUIRE", "").replace(",", " ").split()


def is_required(what: str) -> bool:
    """Whether this was named."""
    return what in required()


def need(what: str, missing: str | None) -> None:
    """Skip by name where something is missing; fail instead if it is required.

    A real Kafka is required by whoever requires anything: each way to one is a way.
    """
    if missing is None:
        return
    if is_required(what) or (what == "kafka" and required()):
        pytest.fail(f"ANTECHAMBER_REQUIRE asks for {what}, but there is {missing}")
    pytest.skip(f"needs {what}: {missing}")
