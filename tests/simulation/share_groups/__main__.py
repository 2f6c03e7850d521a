"""Run many seeds, or replay one: python -m tests.simulation.share_groups --seed 47."""

from __future__ import annotations

import sys

from tests.simulation.command import main
from tests.simulation.share_groups.plan import draw
from tests.simulation.share_groups.run import play

if __name__ == "__main__":
    sys.exit(main("tests.simulation.share_groups", draw, play))
