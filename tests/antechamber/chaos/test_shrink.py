"""Shrinking with runs that fail by a rule that the test knows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antechamber.chaos.shrink import Rule, shrink


def rules(*names: str) -> list[Rule]:
    """Rules with these names and high numbers."""
    return [{"name": name, "nth": 20, "times": 4} for name in names]


def fails_with(*needed: str) -> Callable[[list[Rule]], bool]:
    """A run that fails if it has all of these rules."""
    return lambda given: set(needed) <= {rule["name"] for rule in given}


@given(st.sets(st.sampled_from("abcdefghij"), min_size=1))
def test_only_needed_rules_remain(needed: set[str]) -> None:
    """For every set of needed rules, in their order."""
    found = shrink(rules(*"abcdefghij"), fails_with(*needed), 1000)

    assert [rule["name"] for rule in found] == sorted(needed)


def test_numbers_are_lowered() -> None:
    """A rule that always matters fires on the first request, and once."""
    assert shrink(rules("a"), fails_with("a"), 100) == [{"name": "a", "nth": 1, "times": 1}]


def test_a_number_that_matters_is_found_by_bisection() -> None:
    """Here the run fails from the seventh request on, with two faults."""

    def fails(given: list[Rule]) -> bool:
        return bool(given) and given[0]["nth"] >= 7 and given[0]["times"] >= 2

    assert shrink(rules("a"), fails, 100) == [{"name": "a", "nth": 7, "times": 2}]


def test_a_rule_without_a_limit_gets_one() -> None:
    """``times`` is added if a limited rule suffices."""
    assert shrink([{"name": "a"}], fails_with("a"), 100) == [{"name": "a", "times": 1}]


def test_a_limit_that_prevents_the_failure_is_not_added() -> None:
    """The rule must fire without a limit."""
    assert shrink([{"name": "a"}], lambda given: given == [{"name": "a"}], 100) == [{"name": "a"}]


def test_no_rule_is_needed() -> None:
    """A program that always fails leaves no rule."""
    assert shrink(rules("a", "b", "c"), lambda _: True, 100) == []


@pytest.mark.parametrize("runs_max", [0, 1, 3])
def test_the_runs_are_limited(runs_max: int) -> None:
    """What has failed last is returned."""
    runs: list[list[Rule]] = []

    def fails(given: list[Rule]) -> bool:
        runs.append(given)
        return fails_with("c")(given)

    found = shrink(rules(*"abcdef"), fails, runs_max)

    assert len(runs) == runs_max
    assert "c" in {rule["name"] for rule in found}


def test_no_candidate_runs_twice() -> None:
    """A run costs seconds."""
    runs: list[str] = []

    def fails(given: list[Rule]) -> bool:
        runs.append(repr(given))
        return fails_with("b", "e")(given)

    shrink(rules(*"abcdef"), fails, 1000)

    assert len(set(runs)) == len(runs)


def test_the_given_rules_are_not_changed() -> None:
    """The caller reports them."""
    given = rules("a", "b")

    shrink(given, fails_with("a"), 100)

    assert given == rules("a", "b")
