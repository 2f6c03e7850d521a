"""Both systems have the same outcome in every scenario, with listed exceptions.

All selected scenarios run concurrently before the first test. Slow ones run with `make parity` and
with ANTECHAMBER_REQUIRE=parity.
"""

from __future__ import annotations

import pytest

from integration.machine.requirements import is_required
from integration.parity.page import names_on_the_page
from integration.parity.runner import Outcome, run
from integration.parity.scenario import Scenario
from integration.parity.scenarios import SCENARIOS
from integration.parity.verdict import GOOD, verdict

_SLOW = [] if is_required("parity") else [pytest.mark.skip("slow: make parity runs it")]


def _marks(scenario: Scenario) -> list[pytest.MarkDecorator]:
    """A secured Kafka reads certificates of this process, so that it runs from its jars."""
    return (_SLOW if scenario.slow else []) + [pytest.mark.jvm] * scenario.setup.is_secured


_ALL = [pytest.param(name, marks=_marks(scenario), id=name) for name, scenario in SCENARIOS.items()]


@pytest.fixture(scope="session")
def outcomes(request: pytest.FixtureRequest) -> dict[str, Outcome]:
    """The outcomes on both systems, by scenario."""
    requested = {
        item.callspec.params["name"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.originalname == test_both_systems_have_the_same_outcome.__name__
        and not item.get_closest_marker("skip")
    }
    chosen = [scenario for name, scenario in SCENARIOS.items() if name in requested]
    return {outcome.scenario.name: outcome for outcome in run(chosen)}


@pytest.mark.kafka
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", _ALL)
def test_both_systems_have_the_same_outcome(outcomes: dict[str, Outcome], name: str) -> None:
    """All lines are equal; a listed difference must still occur."""
    outcome = outcomes[name]
    found = verdict(outcome)
    assert found in GOOD, f"{found}\n{outcome.difference}"


def test_every_scenario_is_listed() -> None:
    """docs/reference/parity.md lists these scenarios; `make parity` updates it."""
    assert sorted(names_on_the_page()) == sorted(SCENARIOS)
