"""Waiting for a fault rule to fire."""

from __future__ import annotations

import pytest

from broker.admin.conditions.faults import FaultFired, read_fault_fired
from broker.admin.query import Query
from broker.common.errors import InvalidValue, NoSuchRule
from tests.broker.faults.rules import ERROR, fire, heartbeat
from tests.facts import FakeFacts


def test_a_rule_has_fired_often_enough() -> None:
    """The missing line has its counts and its state."""
    facts = FakeFacts()
    [rule] = facts.faults.add({"nth": 2, "name": "late", "action": ERROR})
    condition = FaultFired(rule.id, 1)

    fire(facts.faults, heartbeat())
    assert condition.check(facts) == (
        {},
        ["fault rule 1 (late) has matched 1 and fired 0 of 1 times and is active"],
    )
    fire(facts.faults, heartbeat())
    assert condition.check(facts) == ({"fault": rule.facts()}, [])
    assert condition.alternatives(facts) == []


def test_an_unknown_rule_is_refused() -> None:
    """Also one that is removed while a client waits."""
    with pytest.raises(NoSuchRule):
        FaultFired(1, 1).check(FakeFacts())


def test_the_rule_is_required() -> None:
    """The count is 1 by default."""
    assert read_fault_fired(Query([("for", "fault_fired"), ("rule", "3")])) == FaultFired(3, 1)
    with pytest.raises(InvalidValue, match="rule: give the id of a fault rule"):
        read_fault_fired(Query([("for", "fault_fired")]))
