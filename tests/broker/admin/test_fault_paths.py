"""The paths of the fault rules."""

from __future__ import annotations

import json

import pytest

from tests.broker.admin.test_paths import request
from tests.facts import FakeFacts

pytestmark = pytest.mark.anyio

RULE = {
    "match": {"api": "Produce"},
    "action": {"type": "error", "error": "REQUEST_TIMED_OUT"},
}
SET = {
    "id": 1,
    "name": None,
    "match": {"api": "Produce", "from": "client"},
    "nth": 1,
    "per": "rule",
    "times": None,
    "for_ms": None,
    "action": {"type": "error", "error": "REQUEST_TIMED_OUT", "when": "before"},
    "state": "active",
    "matched": 0,
    "fired": 0,
    "last_fired": None,
}


async def send(facts: FakeFacts, value: object) -> tuple[int, object]:
    """POST a value as JSON."""
    return await request(facts, "/v1/faults", "POST", body=json.dumps(value).encode())


async def test_a_rule_is_set_shown_and_removed() -> None:
    """Each response is the rule; an unknown one is 404."""
    facts = FakeFacts()

    assert await send(facts, RULE) == (200, SET)
    assert await request(facts, "/v1/faults") == (200, {"rules": [SET]})
    assert await request(facts, "/v1/faults/1") == (200, SET)
    assert await request(facts, "/v1/faults/1", "DELETE") == (200, SET)
    assert await request(facts, "/v1/faults/1") == (404, "there is no fault rule 1, and no other")
    assert await request(facts, "/v1/faults/one") == (404, "'one' is not the id of a fault rule")


async def test_several_rules_are_set_and_removed() -> None:
    """The response has them in order."""
    facts = FakeFacts()

    assert await send(facts, {"rules": [RULE, RULE]}) == (200, {"rules": [SET, {**SET, "id": 2}]})
    assert await request(facts, "/v1/faults", "DELETE") == (200, {"removed": 2})
    assert await request(facts, "/v1/faults") == (200, {"rules": []})


async def test_an_invalid_rule_is_refused() -> None:
    """None of several is set."""
    facts = FakeFacts()

    assert await send(facts, {**RULE, "nth": 0}) == (
        400,
        "nth: 0 is not a whole number from 1 to 1000000000",
    )
    status, _ = await send(facts, {"rules": [RULE, {**RULE, "times": "many"}]})
    assert status == 400
    assert await send(facts, {"rules": RULE}) == (
        400,
        "rules: give a list of fault rules",
    )
    assert facts.faults.all() == []


async def test_a_schedule_is_set() -> None:
    """The version of its format and its seed have no effect."""
    facts = FakeFacts()

    schedule = {"schedule": 1, "seed": 7, "rules": [RULE]}
    assert await send(facts, schedule) == (200, {"rules": [SET]})
    status, message = await send(facts, {**schedule, "schedule": 2})
    assert (status, message) == (400, "schedule: the only version of the format is 1")
    assert len(facts.faults.all()) == 1


async def test_a_name_in_use_is_a_conflict() -> None:
    """The status is 409."""
    facts = FakeFacts()

    assert (await send(facts, {**RULE, "name": "a"}))[0] == 200
    assert await send(facts, {**RULE, "name": "a"}) == (409, "name: fault rule 1 is named 'a'")
