"""One run of a program, with a cluster that the test imitates and a real process."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Self

import pytest

from antechamber import AdminError
from antechamber.chaos import trial
from antechamber.chaos.trial import Firing, Laboratory
from antechamber.usage_error import UsageError

PRINTS = (
    "import os, sys; print(sys.argv[1], os.environ['KAFKA_BOOTSTRAP'], "
    "os.environ['KAFKA_BOOTSTRAP_SERVERS'], os.environ['ANTECHAMBER_ADMIN'])"
)
FIRING = {"rule": 8, "name": "b", "api": "Produce", "client_id": "app", "nth": 3}


class Rule:
    """A rule that is set."""

    def __init__(self, rule_id: int) -> None:
        self.id = rule_id


class FakeCluster:
    """A cluster whose rules have ids from 7 on; the second one has fired."""

    bootstrap, admin = "127.0.0.1:1", "http://127.0.0.1:2"
    made: Mapping[str, Any]

    def __init__(self, **arguments: Any) -> None:
        FakeCluster.made = arguments
        self.faults = self

    def add_rules(self, *rules: Mapping[str, Any]) -> list[Rule]:
        """Refuse a rule without an action."""
        if any("action" not in rule for rule in rules):
            raise AdminError(400, "action: give a JSON object")
        return [Rule(7 + at) for at in range(len(rules))]

    def firings(self) -> list[dict[str, Any]]:
        """Those of the second rule, and of a rule that the program has set."""
        return [FIRING, {**FIRING, "rule": 99}]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def laboratory(monkeypatch: pytest.MonkeyPatch) -> Laboratory:
    """Runs a program that prints what it is given."""
    monkeypatch.setattr(trial, "Cluster", FakeCluster)
    return Laboratory([sys.executable, "-c", PRINTS, "-b={bootstrap}"], {"brokers": 3}, 60)


def test_a_program_gets_the_addresses(laboratory: Laboratory) -> None:
    """By variables and in its arguments."""
    run = laboratory.run([])

    assert run.outcome.last_lines(1) == [
        "-b=127.0.0.1:1 127.0.0.1:1 127.0.0.1:1 http://127.0.0.1:2"
    ]
    assert FakeCluster.made == {"brokers": 3}
    assert run.firings == ()


def test_the_firings_have_the_places_of_their_rules(laboratory: Laboratory) -> None:
    """Other rules than those of the schedule are not listed."""
    run = laboratory.run([{"action": {}}, {"action": {}, "name": "b"}])

    assert run.firings == (Firing(1, "b", "Produce", "app", 3),)
    assert run.fired == {1}


def test_an_invalid_schedule_is_refused(laboratory: Laboratory) -> None:
    """With the broker's sentence."""
    with pytest.raises(UsageError, match="the schedule: action: give a JSON object"):
        laboratory.run([{}])


@pytest.mark.parametrize(
    ("firing", "words"),
    [
        (Firing(1, "b", "Produce", "app", 3), "rule 2 ('b'): match 3, Produce of client 'app'"),
        (Firing(0, None, "Fetch", None, 1), "rule 1: match 1, Fetch of no client id"),
        (Firing(0, None, None, None, 2), "rule 1: match 2"),
        (
            Firing(0, None, "Fetch", "a\nb", 1),
            "rule 1: match 1, Fetch of client 'a\\nb'",
        ),
    ],
)
def test_a_firing_in_words(firing: Firing, words: str) -> None:
    """A client id is escaped; a connection has none."""
    assert str(firing) == words
