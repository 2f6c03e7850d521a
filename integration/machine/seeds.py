"""Seeds of random tests: a test draws the same examples in each run, a long run draws others."""

from __future__ import annotations

import os
from random import randrange
from typing import Final

# Set by `make fuzz`: tests whose length does not change draw other examples.
FRESH: Final = "ANTECHAMBER_FRESH"


def seed_of_run(length: str) -> int:
    """Return `ANTECHAMBER_SEED`, or a random seed if the variable *length* is set, or 0.

    *length* names the variable that makes the run longer than in `make test`, or is `FRESH`.
    """
    if given := os.environ.get("ANTECHAMBER_SEED"):
        return int(given)
    return randrange(1 << 32) if length in os.environ else 0
