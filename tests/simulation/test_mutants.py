"""The simulation finds faults: each broken rule fails at least one seed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import pytest

from tests.purgatories.builds import only_pure
from tests.simulation.mutants.registry import MUTANTS
from tests.simulation.run import play
from tests.simulation.test_simulation import SEEDS

for room in (
    "high_watermark",
    "in_sync_sets",
    "controller",
    "epochs",
    "waiting",
    "transaction_outcomes",
    "transactional_logs",
    "rare_events",
    "idle_partitions",
    "links",
):
    import_module(f"tests.simulation.mutants.{room}")


pytestmark = only_pure("compiled functions do not call the functions that a mutant replaces")


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Silence the log of broken brokers."""
    with caplog.at_level("CRITICAL"):
        yield


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its known seed, or else by a later one that passes without the mutant."""
    mutate, first = MUTANTS[name]
    mutate(monkeypatch)

    failures = (play(seed).failure for seed in SEEDS if seed >= first)

    assert any(failure is not None for failure in failures)
