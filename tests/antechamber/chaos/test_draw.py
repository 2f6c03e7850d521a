"""The schedules that are drawn from seeds."""

from __future__ import annotations

import hashlib
import json

import pytest

from antechamber.chaos.draw import EARLY_NTH_MAX, RULES_MAX, RULES_MIN, draw
from antechamber.chaos.shrink import Rule
from antechamber.sentences.error_names import _NAMES

SEEDS = range(500)


def actions(brokers: int) -> list[Rule]:
    """The actions of many seeds."""
    return [rule["action"] for seed in SEEDS for rule in draw(seed, brokers)]


def test_a_seed_has_the_same_schedule_in_every_version() -> None:
    """A change of the drawing changes the schedules of all seeds that users have noted."""
    drawn = json.dumps([draw(seed, 3) for seed in range(100)], sort_keys=True)

    assert hashlib.sha256(drawn.encode()).hexdigest()[:16] == "69bb4709f677004b"
    assert draw(5, 3) != draw(6, 3)


@pytest.mark.parametrize("brokers", [1, 3])
def test_names_are_unique(brokers: int) -> None:
    """The broker requires it of active rules."""
    for seed in SEEDS:
        names = [rule["name"] for rule in draw(seed, brokers)]
        assert len(set(names)) == len(names)
        assert RULES_MIN <= len(names) <= RULES_MAX + 2


def test_most_rules_hit_early_requests() -> None:
    """A program of ten requests meets most of them; some hit later requests."""
    nths = [rule["nth"] for seed in SEEDS for rule in draw(seed, 3)]
    early = sum(nth <= EARLY_NTH_MAX for nth in nths)

    assert 0.75 < early / len(nths) < 0.95
    assert max(nths) == 30


def test_each_rule_ends() -> None:
    """A client that retries reaches a request that no rule affects."""
    for seed in SEEDS:
        assert all(rule["times"] <= 2 for rule in draw(seed, 3))


def test_one_node_has_no_node_faults() -> None:
    """Without another node nobody has the records."""
    assert not [action for action in actions(1) if action["type"] == "node"]


def test_node_faults_concern_one_node_and_end() -> None:
    """The other nodes keep the records, and the node returns."""
    for seed in SEEDS:
        found = [rule["action"] for rule in draw(seed, 3)]
        faults = [action for action in found if action["type"] == "node"]
        assert len({action["node"] for action in faults}) <= 1
        assert all(action["ms"] <= 3000 and 1 <= action["node"] <= 3 for action in faults)


def test_delays_are_shorter_than_timeouts_of_clients() -> None:
    """The shortest usual timeout of a request is 5 s."""
    found = [action for action in actions(3) if "ms" in action]

    assert max(action["ms"] for action in found) < 5000


def test_errors_have_known_names() -> None:
    """A misspelt name would make a schedule invalid."""
    found = {action["error"] for action in actions(3) if action["type"] == "error"}

    assert found <= set(_NAMES)
    assert len(found) > 8


def test_all_kinds_of_faults_are_drawn() -> None:
    """Each has its way of being handled by clients."""
    assert {action["type"] for action in actions(3)} == {
        "error",
        "close",
        "delay",
        "throttle",
        "node",
    }
