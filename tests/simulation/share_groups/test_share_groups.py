"""The rules of share groups hold under faults: one run for each seed, which can be replayed."""

from __future__ import annotations

import pytest

from tests.purgatories.builds import only_pure
from tests.simulation.share_groups import scenes
from tests.simulation.share_groups.mutants import Scene
from tests.simulation.share_groups.run import play, play_plan

pytestmark = only_pure("compiled functions do not call the functions that report to the rules")

SCENES = (
    scenes.nothing_fails,
    scenes.members_disturb_each_other,
    scenes.records_are_kept,
    scenes.leaders_change,
    scenes.a_replaced_leader_does_not_know_it,
    scenes.writes_are_lost,
    scenes.the_coordinator_crashes,
)


@pytest.mark.parametrize("seed", range(12))
def test_rules_hold(seed: int) -> None:
    """``python -m tests.simulation.share_groups --seed N`` replays a run and prints its log."""
    assert play(seed).failure is None


@pytest.mark.parametrize("scene", SCENES)
def test_rules_hold_in_a_scene(scene: Scene) -> None:
    """What detects a mutant finds nothing in the code itself."""
    assert play_plan(scene(0)).failure is None


def test_a_run_depends_on_its_seed_only() -> None:
    """The same events happen at the same times."""
    assert play(2).digest == play(2).digest
