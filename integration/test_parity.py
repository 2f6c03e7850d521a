"""Both systems tell the same in every scenario, but for the differences that are known.

All scenarios that are asked for are played at once, before the first test looks at its own. The
slow ones are for `make parity`, and for who says ANTECHAMBER_REQUIRE=parity.
"""

from __future__ import annotations

import pytest

from integration.machine.requirements import is_required
from integration.parity.card import names_on_the_card
from integration.parity.runner import Outcome, run
from integration.parity.scenarios import SCENARIOS
from integration.parity.verdict import GOOD, verdict

_SLOW = [] if is_required("parity") else [pytest.mark.skip("slow: make parity plays it")]
_ALL = [
    pytest.param(name, marks=_SLOW if scenario.slow else [], id=name)
    for name, scenario in SCENARIOS.items()
]


@pytest.fixture(scope="session")
def outcomes(request: pytest.FixtureRequest) -> dict[str, Outcome]:
    """What both systems told, by scenario."""
    asked = {
        item.callspec.params["name"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.originalname == test_both_tell_the_same.__name__
        and not item.get_closest_marker("skip")
    }
    chosen = [scenario for name, scenario in SCENARIOS.items() if name in asked]
    return {outcome.scenario.name: outcome for outcome in run(chosen)}


@pytest.mark.kafka
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", _ALL)
def test_both_tell_the_same(outcomes: dict[str, Outcome], name: str) -> None:
    """Line by line; a difference that is known must still be there."""
    outcome = outcomes[name]
    found = verdict(outcome)
    assert found in GOOD, f"{found}\n{outcome.difference}"


def test_every_scenario_is_on_the_card() -> None:
    """docs/reference/parity.md is of these scenarios; `make parity` writes it anew."""
    assert sorted(names_on_the_card()) == sorted(SCENARIOS)
