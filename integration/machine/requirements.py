"""Required features of a test run: `ANTECHAMBER_REQUIRE`, names separated by commas or spaces.

With `jvm`, `docker`, `kafka`, `free-threaded` and other requirements that tests pass to `need`, a
missing one is an error and not a skip; `parity`, `clients`, `security` and `transactions` enable
tests that take too long for every run.
"""

from __future__ import annotations

import os

import pytest


def required() -> list[str]:
    """Return the required names."""
    return os.environ.get("ANTECHAMBER_REQUIRE", "").replace(",", " ").split()


def is_required(what: str) -> bool:
    """Whether a name is required."""
    return what in required()


def need(what: str, missing: str | None) -> None:
    """Skip a test if *missing* is given; fail it instead if *what* is required.

    Every requirement implies that of a real Kafka, which can be started in several ways.
    """
    if missing is None:
        return
    if is_required(what) or (what == "kafka" and required()):
        pytest.fail(f"ANTECHAMBER_REQUIRE requires {what}, but: {missing}")
    pytest.skip(f"needs {what}: {missing}")
