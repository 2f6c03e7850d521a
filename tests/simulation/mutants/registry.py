"""The mutants, each with a seed that detects it.

A mutant replaces one rule of replication or of transactions by a plausible mistake.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

Mutate = Callable[[pytest.MonkeyPatch], None]
MUTANTS: dict[str, tuple[Mutate, int]] = {}


def mutant(first_seed: int) -> Callable[[Mutate], Mutate]:
    """Register a mutant with a seed that is known to detect it."""

    def add(mutate: Mutate) -> Mutate:
        MUTANTS[mutate.__name__] = mutate, first_seed
        return mutate

    return add
