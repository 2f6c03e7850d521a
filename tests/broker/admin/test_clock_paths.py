"""The paths of the clock, and their parameters."""

from __future__ import annotations

from typing import Any

import pytest

from broker.admin.facts.clock_facts import FindEvent
from broker.clock_control.events import Event
from broker.common.errors import WrongState
from tests.broker.admin.test_paths import request
from tests.facts import FakeClock, FakeFacts

pytestmark = pytest.mark.anyio


class FindingClock(FakeClock):
    """Keeps how an event is found."""

    found: Any = None

    async def advance_to(self, find: FindEvent, steps_max: int) -> dict[str, Any]:
        """Keep the arguments."""
        self.found = (find.func.__name__, find.keywords, steps_max)  # type: ignore[attr-defined]  # a partial
        return {}


class UnwillingClock(FakeClock):
    """No event happens."""

    async def advance_to(self, find: FindEvent, steps_max: int) -> dict[str, Any]:
        """Raise what an advance raises."""
        raise WrongState(Event("it", lambda: 0, lambda: False).name + " did not happen")


async def test_the_state_is_served() -> None:
    """Adjustments return the new state."""
    facts = FakeFacts()

    assert await request(facts, "/v1/clock") == (200, {"state": "running"})
    assert await request(facts, "/v1/clock/freeze", "POST") == (200, {"state": "frozen"})
    assert await request(facts, "/v1/clock/run", "POST") == (
        200,
        {"state": "running", "speed": 1.0},
    )
    assert await request(facts, "/v1/clock/run?speed=2.5", "POST") == (
        200,
        {"state": "running", "speed": 2.5},
    )


async def test_a_get_adjusts_nothing() -> None:
    """As for all changes."""
    status, _ = await request(FakeFacts(), "/v1/clock/freeze")
    assert status == 405


async def test_the_clock_advances_by_a_duration() -> None:
    """And to the next task of a timer."""
    facts = FakeFacts()

    assert await request(facts, "/v1/clock/advance?ms=45000", "POST") == (
        200,
        {"advanced_ms": 45_000, "limit": 100},
    )
    assert await request(facts, "/v1/clock/advance?to=timer&limit=7", "POST") == (
        200,
        {"to": "task", "limit": 7},
    )


@pytest.mark.parametrize(
    ("parameters", "name", "wanted"),
    [
        ("to=session&member=m", "session_end", {"member_id": "m", "group_id": None}),
        ("to=session&member=m&group=g", "session_end", {"member_id": "m", "group_id": "g"}),
        (
            "to=transaction&transactional_id=b",
            "transaction_timeout",
            {"transactional_id": "b"},
        ),
        (
            "to=parked&api=fetch&client=c&correlation=12",
            "request_timeout",
            {"api": "Fetch", "client_id": "c", "correlation_id": 12},
        ),
        ("to=retention&topic=t&partition=3", "retention", {"key": ("t", 3)}),
    ],
)
async def test_the_clock_advances_to_an_event(
    parameters: str, name: str, wanted: dict[str, Any]
) -> None:
    """Which its parameters select."""
    facts = FakeFacts()
    facts.clock = clock = FindingClock()

    assert await request(facts, f"/v1/clock/advance?{parameters}", "POST") == (200, {})
    assert clock.found == (name, wanted, 100)


async def test_an_event_that_does_not_happen_is_a_conflict() -> None:
    """With the reason."""
    facts = FakeFacts()
    facts.clock = UnwillingClock()

    assert await request(facts, "/v1/clock/advance?to=parked", "POST") == (
        409,
        "it did not happen",
    )


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("advance", "give ms, or to with one of timer, session, transaction, parked, retention"),
        ("advance?ms=-1", "ms: '-1' is not a whole number from 0 to 31622400000"),
        ("advance?ms=1&member=m", "no parameter is named 'member'; there are ms, to, limit"),
        ("advance?to=lunch", "to: 'lunch' is not one of timer, session, transaction, parked"),
        ("advance?to=session", "member: give the member"),
        ("advance?to=session&member=m&ms=3", "no parameter is named 'ms'"),
        ("advance?to=transaction", "transactional_id: give the transactional id"),
        ("advance?to=retention&topic=t", "partition: give the partition of the topic"),
        ("advance?to=retention&partition=0", "topic: give the topic"),
        ("run?speed=0", "speed: '0' is not a number from 0.001 to 1000"),
        ("run?speed=fast", "speed: 'fast' is not a number from 0.001 to 1000"),
        ("run?speed=1e3", "speed: '1e3' is not a number from 0.001 to 1000"),
        ("freeze?ms=1", "no parameter is named 'ms'; this path has none"),
    ],
)
async def test_an_invalid_parameter_is_refused(target: str, words: str) -> None:
    """With its name and what is allowed."""
    status, message = await request(FakeFacts(), f"/v1/clock/{target}", "POST")

    assert status == 400
    assert str(message).startswith(words)
