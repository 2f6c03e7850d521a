"""Mistakes to be noticed, each with a seed that does so.

A mutant is one rule of replication replaced by a plausible mistake.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

Mutate = Callable[[pytest.MonkeyPatch], None]
MUTANTS: dict[str, tuple[Mutate, int]] = {}


def mutant(first_seed: int) -> Callable[[Mutate], Mutate]:
    """Add one to the list, with a seed that was seen to notice it."""

    def add(mutate: Mutate) -> Mutate:
        MUTANTS[mutate.__name__] = mutate, first_seed
        return mutate

    return add
