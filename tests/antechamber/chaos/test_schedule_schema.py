"""The published JSON Schema of schedules agrees with the broker's validation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from antechamber.chaos.draw import draw
from antechamber.chaos.schedule_file import SCHEMA_FILE, schedule
from broker.common.errors import InvalidValue
from broker.faults.read_action import ACTIONS
from broker.faults.read_rule import read_rule
from broker.faults.schedule import read_schedule
from tests.broker.faults.rules import ERROR, POSSIBLE
from tests.broker.faults.test_read_rule import MANY

SCHEMA = json.loads(SCHEMA_FILE.read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
CLOSE = {"type": "close"}


def both(rule: Any) -> tuple[bool, bool]:
    """Whether the schema and the broker accept a schedule with one rule."""
    given = {"rules": [rule]}
    try:
        read_schedule(given)
        read_rule(rule, POSSIBLE)
    except InvalidValue:
        return VALIDATOR.is_valid(given), False
    return VALIDATOR.is_valid(given), True


def test_the_schema_is_valid() -> None:
    """By the JSON Schema of JSON Schemas."""
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("seed", range(50))
def test_drawn_schedules_are_valid(seed: int) -> None:
    """By the schema, and for the broker."""
    drawn = schedule(draw(seed, 3), seed)

    assert VALIDATOR.is_valid(drawn)
    for rule in read_schedule(drawn):
        read_rule(rule, POSSIBLE)


@pytest.mark.parametrize("rule", MANY, ids=str)
def test_valid_rules_are_valid_by_the_schema(rule: Any) -> None:
    """Each rule of the tests of the broker."""
    assert both(rule) == (True, True)


@pytest.mark.parametrize("kind", ACTIONS)
def test_each_action_of_the_broker_is_in_the_schema(kind: str) -> None:
    """A new action must be described."""
    [actions] = [SCHEMA["$defs"]["rule"]["else"]["properties"]["action"]["oneOf"]]

    assert kind in {action["properties"]["type"]["const"] for action in actions}


@pytest.mark.parametrize(
    "rule",
    [
        3,
        {},
        {"action": {}},
        {"action": ERROR, "matches": {}},
        {"action": {"type": "explode"}},
        {"action": {**ERROR, "ms": 3}},
        {"action": {"type": "error", "error": "NOT_A_LEADER"}},
        {"action": {"type": "error", "error": "NONE"}},
        {"action": {"type": "error"}},
        {"action": {"type": "close", "when": "later"}},
        {"action": {"type": "delay"}},
        {"action": {"type": "delay", "ms": 0}},
        {"action": {"type": "slow"}},
        {"action": {"type": "throttle", "ms": 3_600_001}},
        {"action": {"type": "node", "do": "kill", "node": 1}},
        {"action": {"type": "node", "do": "stop"}},
        {"action": {"type": "node", "node": 1}},
        {"action": CLOSE, "nth": 0},
        {"action": CLOSE, "times": "many"},
        {"action": CLOSE, "name": ""},
        {"action": CLOSE, "per": "group"},
        {"action": CLOSE, "match": []},
        {"action": CLOSE, "match": {"api": "Consume"}},
        {"action": CLOSE, "match": {"version": 3}},
        {"action": CLOSE, "match": {"client": "*x"}},
        {"action": CLOSE, "match": {"principal": "ann"}},
        {"action": CLOSE, "match": {"from": "node"}},
        {"action": CLOSE, "match": {"api": "Produce"}, "link": {"from": 1}},
        {"action": CLOSE, "link": {"from": 1}},
        {"action": {"type": "loss"}, "link": {"from": 1}},
        {"action": {"type": "cut"}},
        {"action": {"type": "refuse_connections"}, "per": "client"},
        {"action": {"type": "refuse_connections"}, "match": {"api": "Produce"}},
        {"action": {"type": "corrupt"}, "match": {"api": "Produce"}},
        {"action": {"type": "stale_metadata"}, "match": {"api": "Fetch"}},
    ],
    ids=str,
)
def test_invalid_rules_are_invalid_by_the_schema(rule: Any) -> None:
    """The broker refuses in addition what depends on its nodes, listeners and APIs."""
    assert both(rule) == (False, False)


@pytest.mark.parametrize(
    "given", [[], {}, {"rules": {}}, {"schedule": 2, "rules": []}, {"rules": [], "name": "a"}]
)
def test_invalid_schedules_are_invalid_by_the_schema(given: Any) -> None:
    """The broker refuses them, too."""
    assert not VALIDATOR.is_valid(given)
    with pytest.raises(InvalidValue):
        read_schedule(given)
