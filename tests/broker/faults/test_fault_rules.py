"""Fault rules are set, counted, expire and are removed."""

from __future__ import annotations

import pytest

from broker.common.errors import InvalidValue, NoSuchRule, WrongState
from broker.faults.fault_rules import FIRINGS_MAX, RULES_MAX
from tests.broker.faults.rules import ERROR, RulesWithClock, heartbeat


def test_a_rule_fires_on_each_match() -> None:
    """Without limits; the first rule has id 1."""
    world = RulesWithClock()
    rule = world.add(match={"api": "Heartbeat"})

    assert [world.fire(heartbeat()) for _ in range(3)] == [1, 1, 1]
    assert (rule.matched, rule.fired, str(rule.state)) == (3, 3, "active")


def test_a_rule_fires_from_its_nth_match_on() -> None:
    """The matches before it are counted."""
    world = RulesWithClock()
    rule = world.add(nth=3)

    assert [world.fire(heartbeat()) for _ in range(4)] == [None, None, 1, 1]
    assert (rule.matched, rule.fired) == (4, 2)


def test_a_rule_is_spent_after_its_times() -> None:
    """Then it costs nothing, and counts no matches."""
    world = RulesWithClock()
    rule = world.add(nth=2, times=2)

    assert [world.fire(heartbeat()) for _ in range(5)] == [None, 1, 1, None, None]
    assert (rule.matched, rule.fired, str(rule.state)) == (3, 2, "spent")
    assert not world.rules.for_requests


def test_a_rule_may_count_each_client() -> None:
    """Each has its nth match and its times; the rule is never spent."""
    world = RulesWithClock()
    rule = world.add(nth=2, times=1, per="client")

    fired = [world.fire(heartbeat(client)) for client in ("a", "b", "a", "a", "b", None)]

    assert fired == [None, None, 1, None, 1, None]
    assert (rule.matched, rule.fired, str(rule.state)) == (6, 2, "active")


def test_a_rule_does_not_count_the_matches_before_it_was_set() -> None:
    """Although it shares its count with an earlier rule that matches the same."""
    world = RulesWithClock()
    early = world.add(nth=4, times=1)
    fired = [world.fire(heartbeat()) for _ in range(2)]
    late = world.add(nth=1, times=1)

    fired += [world.fire(heartbeat()) for _ in range(3)]

    assert fired == [None, None, late.id, early.id, None]
    assert (early.matched, late.matched) == (4, 1)
    assert [firing.nth for firing in world.rules.firings] == [1, 4]


def test_a_rule_per_client_does_not_count_the_matches_before_it_was_set() -> None:
    """Nor do those that were set with it fire on the same request."""
    world = RulesWithClock()
    world.add(nth=9, per="client")
    world.fire(heartbeat("a"))
    late = [world.add(nth=2, times=1, per="client") for _ in range(2)]

    fired = [world.fire(heartbeat("a")) for _ in range(4)]

    assert fired == [None, late[0].id, late[1].id, None]
    assert [rule.matched for rule in late] == [4, 4]


def test_firings_are_listed_in_order() -> None:
    """With the rule, the request and which match it was, for the rule or its client."""
    world = RulesWithClock()
    world.add(nth=2, times=1, name="second", match={"client": "a"})
    world.add(nth=1, times=1, per="client")

    for client in ("a", "b", "a", "a"):
        world.fire(heartbeat(client))

    listed = [firing.facts() for firing in world.rules.firings]
    assert [(each["rule"], each["client_id"], each["nth"]) for each in listed] == [
        (2, "a", 1),
        (2, "b", 1),
        (1, "a", 2),
    ]
    assert listed[-1] == {
        "rule": 1,
        "name": "second",
        "nth": 2,
        "at_us": 0,
        "node": 1,
        "api": "Heartbeat",
        "client_id": "a",
        "correlation_id": 5,
    }


def test_the_list_of_firings_is_bounded() -> None:
    """The oldest are dropped, and all of them when all rules are removed."""
    world = RulesWithClock()
    world.add()

    for _ in range(FIRINGS_MAX + 1):
        world.fire(heartbeat())
    assert [firing.nth for firing in world.rules.firings] == list(range(2, FIRINGS_MAX + 2))
    world.rules.clear()

    assert not world.rules.firings


def test_a_rule_expires_by_the_clock() -> None:
    """At its time, and not before."""
    world = RulesWithClock()
    rule = world.add(for_ms=5000)

    world.pass_ms(4999)
    assert world.fire(heartbeat()) == 1
    world.pass_ms(2)
    assert world.fire(heartbeat()) is None
    assert str(rule.state) == "expired"


def test_the_last_request_is_kept() -> None:
    """Its node, API, client, correlation id and time."""
    world = RulesWithClock()
    rule = world.add()
    assert rule.facts()["last_fired"] is None

    world.pass_ms(3)
    world.fire(heartbeat("billing", node=2))

    assert rule.facts()["last_fired"] == {
        "at_us": 3000,
        "node": 2,
        "api": "Heartbeat",
        "client_id": "billing",
        "correlation_id": 5,
    }


def test_one_rule_fires_on_a_request() -> None:
    """The first whose turn it is; the others count the match."""
    world = RulesWithClock()
    first, second = world.add(nth=2), world.add()

    assert [world.fire(heartbeat()) for _ in range(2)] == [2, 1]
    assert (first.matched, first.fired, second.matched, second.fired) == (2, 1, 2, 1)


def test_a_removed_rule_does_not_fire() -> None:
    """Its id is unknown afterwards."""
    world = RulesWithClock()
    rule = world.add(for_ms=100)

    assert world.rules.remove(1) is rule
    assert world.fire(heartbeat()) is None
    assert world.timer.size == 0
    with pytest.raises(NoSuchRule, match="there is no fault rule 1, and no other"):
        world.rules.rule(1)


def test_all_rules_are_removed() -> None:
    """Ids are not used again."""
    world = RulesWithClock()
    world.add()
    world.add()

    assert world.rules.clear() == 2
    assert world.rules.all() == []
    assert world.add().id == 3


def test_several_rules_are_set_or_none() -> None:
    """The sentence has the place of the invalid one."""
    world = RulesWithClock()

    with pytest.raises(InvalidValue, match=r"^rules\[1\]: nth: 0 is not a whole number"):
        world.rules.add({"action": ERROR}, {"action": ERROR, "nth": 0})
    assert world.rules.all() == []


def test_a_name_is_used_once() -> None:
    """By active rules."""
    world = RulesWithClock()
    world.add(name="slow", times=1)

    with pytest.raises(WrongState, match="name: fault rule 1 is named 'slow'"):
        world.add(name="slow")
    with pytest.raises(WrongState, match="name: two rules are named 'lost'"):
        world.rules.add({"action": ERROR, "name": "lost"}, {"action": ERROR, "name": "lost"})
    world.fire(heartbeat())
    assert world.add(name="slow").id == 2


def test_the_number_of_rules_is_limited() -> None:
    """They are checked with each request."""
    world = RulesWithClock()
    world.rules.add(*[{"action": ERROR}] * RULES_MAX)

    with pytest.raises(WrongState, match="there may be 1000 fault rules; remove some"):
        world.add()


def test_connections_are_refused_by_node_and_listener() -> None:
    """As often as the rule says."""
    world = RulesWithClock()
    rule = world.add(match={"node": 2}, times=1, action={"type": "refuse_connections"})

    assert not world.rules.refuses(1, "PLAINTEXT")
    assert world.rules.refuses(2, "PLAINTEXT")
    assert not world.rules.refuses(2, "PLAINTEXT")
    assert (rule.matched, rule.fired) == (1, 1)


def test_changes_of_rules_are_reported() -> None:
    """When a rule is set, and when it ends."""
    world, changes = RulesWithClock(), list[int]()
    world.rules.on_change.append(lambda: changes.append(len(world.rules.for_links)))

    world.add(link={"from": 1}, for_ms=10, action={"type": "cut"})
    world.pass_ms(11)

    assert changes == [1, 0]
