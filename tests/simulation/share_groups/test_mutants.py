"""Each rule of share groups is necessary: breaking one is noticed in its scene."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.purgatories.builds import only_pure
from tests.simulation.share_groups.mutants import MUTANTS
from tests.simulation.share_groups.run import play_plan

# What the members do depends on the seed; most seeds notice a mutant.
SEEDS = range(8)


pytestmark = only_pure("compiled functions do not call the functions that a mutant replaces")


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Silence the log of broken brokers."""
    with caplog.at_level("CRITICAL"):
        yield


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By one of a few seeds."""
    mutate, scene = MUTANTS[name]
    mutate(monkeypatch)

    failures = (play_plan(scene(seed)).failure for seed in SEEDS)

    assert any(failure is not None for failure in failures)
