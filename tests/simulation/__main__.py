"""Run many seeds, or replay one: python -m tests.simulation --seeds 5000 --first 200, --seed 47."""

from __future__ import annotations

import sys

from tests.simulation.command import main
from tests.simulation.plan import draw
from tests.simulation.run import play

if __name__ == "__main__":
    sys.exit(main("tests.simulation", draw, play))
