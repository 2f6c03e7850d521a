"""The fault rules of the Python handle."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from antechamber import AdminError, RunningCluster
from tests.admin_server import serving
from tests.broker.faults.rules import fire, heartbeat
from tests.facts import FakeFacts


def test_a_rule_is_set_and_removed() -> None:
    """At the end of the with statement."""
    facts = FakeFacts()
    with serving(facts) as url:
        kafka = RunningCluster(url)
        with kafka.faults.add(
            "delay", ms=300, of="response", api="Heartbeat", group="g", times=1, sender="any"
        ) as rule:
            [added] = facts.faults.all()
            assert (rule.matched, rule.fired, rule.state) == (0, 0, "active")
            assert rule.facts() == added.facts()
            assert rule.facts()["match"] == {"api": "Heartbeat", "group": "g", "from": "any"}
            fire(facts.faults, heartbeat())
            assert rule.wait_fired()["last_fired"]["api"] == "Heartbeat"
            [firing] = kafka.faults.firings()
            assert (firing["rule"], firing["api"], firing["nth"]) == (rule.id, "Heartbeat", 1)
        assert kafka.faults.all() == []


def test_an_argument_that_no_rule_has() -> None:
    """The error is about the argument, and not about a field of the action."""
    with serving(FakeFacts()) as url:
        faults = RunningCluster(url).faults

        with pytest.raises(TypeError, match=r"^argument 'topik' is unknown; did you mean topic\?$"):
            faults.add("close", topik="orders")
        with pytest.raises(TypeError, match=r"^argument 'match' is not one of api, .*, at$"):
            faults.add("close", match="orders")
        assert faults.all() == []


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"action": "close", "from": "broker"}, "argument 'from' is unknown; give sender"),
        (
            {"action": "loss", "percent": 3},
            "argument 'percent' is unknown; link() sets the rules of links",
        ),
        (
            {"action": "node", "do": "stop", "node": 1},
            (
                "argument 'do' is unknown; "
                'add_rules({"action": {"type": "node", "do": "stop", "node": 1}}) stops a node'
            ),
        ),
        (
            {"action": "close", "for_ms": timedelta(seconds=1)},
            "for_ms: datetime.timedelta(seconds=1) is not a number of milliseconds",
        ),
    ],
)
def test_an_argument_that_another_method_has(arguments: dict[str, Any], line: str) -> None:
    """The error says what to do instead."""
    with serving(FakeFacts()) as url, pytest.raises(TypeError, match=f"^{re.escape(line)}$"):
        RunningCluster(url).faults.add(**arguments)


def test_a_list_of_rules_is_no_rule() -> None:
    """Each is an argument."""
    rules: Any = [{"action": {"type": "close"}}]
    with serving(FakeFacts()) as url, pytest.raises(TypeError, match=r"is not one rule; give each"):
        RunningCluster(url).faults.add_rules(rules)


def test_a_rule_as_one_object_needs_another_method() -> None:
    """The error names it."""
    rule: Any = {"type": "close"}
    with serving(FakeFacts()) as url, pytest.raises(TypeError, match=r"is not text; add_rules\(\)"):
        RunningCluster(url).faults.add(rule)


def test_a_rule_for_a_link_is_set() -> None:
    """An end that is not given is any node."""
    with serving(FakeFacts()) as url:
        faults = RunningCluster(url).faults

        cut = faults.link("cut", to_node="controller", for_ms=500).facts()
        loss = faults.link("loss", 1, 2, percent=10, seed=7, times=3, name="lossy").facts()

        assert (cut["link"], cut["for_ms"]) == ({"to": "controller"}, 500)
        assert loss["action"] == {"type": "loss", "percent": 10, "seed": 7}
        assert (loss["link"], loss["times"]) == ({"from": 1, "to": 2}, 3)


def test_several_rules_are_set_or_none() -> None:
    """An invalid one is refused with the reason."""
    with serving(FakeFacts()) as url:
        faults = RunningCluster(url).faults
        close = {"action": {"type": "close"}}

        with pytest.raises(AdminError, match=r"rules\[1\]: nth: 0 is not"):
            faults.add_rules(close, {**close, "nth": 0})
        assert faults.all() == []
        assert [rule.id for rule in faults.add_rules(close, close)] == [1, 2]
        faults.clear()
        assert faults.all() == []


def test_a_wait_for_a_rule_times_out() -> None:
    """With its counts."""
    with serving(FakeFacts()) as url:
        rule = RunningCluster(url).faults.add("close")

        with pytest.raises(TimeoutError, match="fault rule 1 has matched 0 and fired 0 of 1"):
            rule.wait_fired(timeout=0)
