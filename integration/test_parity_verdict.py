"""The verdicts on outcomes, without a cluster."""

from __future__ import annotations

import pytest

from integration.parity.known import KNOWN
from integration.parity.runner import BROKEN, Outcome, Transcript
from integration.parity.scenario import Scenario
from integration.parity.scenarios import SCENARIOS
from integration.parity.verdict import GOOD, verdict

_KNOWN = SCENARIOS["produce_null"]
_ANY = SCENARIOS["fetch_wakes_on_produce"]


@pytest.mark.parametrize(
    ("scenario", "theirs", "ours", "result"),
    [
        (_ANY, ["a"], ["a"], "same"),
        (_ANY, ["a"], ["b"], "DIFFERS"),
        (_ANY, ["a"], ["a", "b"], "DIFFERS"),
        (_ANY, [], [], "BROKEN ON KAFKA"),
        (_ANY, ["a", BROKEN], ["a", BROKEN], "BROKEN ON KAFKA"),
        (_KNOWN, ["waits: True"], ["waits: False"], "known difference"),
        (_KNOWN, ["waits: True", "x"], ["waits: False", "y"], "DIFFERS"),
        (_KNOWN, ["waits: True"], ["waits: True"], "NO LONGER DIFFERS"),
    ],
)
def test_only_the_listed_difference_passes(
    scenario: Scenario, theirs: list[str], ours: list[str], result: str
) -> None:
    """It passes only while it occurs, and without other differences."""
    outcome = Outcome(scenario, Transcript(ours), Transcript(theirs))

    assert verdict(outcome) == result
    assert (result in GOOD) == (result in ("same", "known difference"))
    assert outcome.settled == (result in GOOD)


def test_an_api_that_is_not_served_is_a_failure() -> None:
    """The lines before it do not matter."""
    outcome = Outcome(_ANY, Transcript(["a"], lacks="Fetch is not served"), Transcript(["a"]))

    assert verdict(outcome) == "DIFFERS"


def test_every_listed_difference_has_a_scenario_and_a_reason() -> None:
    """The reason is one line, as in the table."""
    assert set(KNOWN) <= set(SCENARIOS)
    assert all(known.reason and "\n" not in known.reason for known in KNOWN.values())
