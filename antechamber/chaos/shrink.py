"""Shrinks a list of rules with which a run fails to the rules that it needs to fail.

First rules are removed by delta debugging (Zeller and Hildebrandt, "Simplifying and isolating
failure-inducing input", TSE 2002): parts of the list, from halves down to single rules. Then
``times`` and ``nth`` of each remaining rule are lowered. A run that succeeds by chance costs a
larger result and nothing else, because each accepted list has failed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Rule = dict[str, Any]
Fails = Callable[[list[Rule]], bool]

# What a rule without the field has; a rule without ``times`` fires without a limit.
_NTH_DEFAULT = 1
_TIMES_UNLIMITED = 8


def shrink(rules: list[Rule], fails: Fails, runs_max: int) -> list[Rule]:
    """Return the fewest and simplest of *rules* with which a run still fails.

    *fails* runs once with some rules; it is called at most *runs_max* times, and never twice with
    the same rules.
    """
    shrinking = _Shrinking(fails, runs_max)
    needed = shrinking.fewest(rules)
    for index in range(len(needed)):
        needed = shrinking.lowest(needed, index, "times")
        needed = shrinking.lowest(needed, index, "nth")
    return needed


class _Shrinking:
    """Runs candidates, and remembers the results."""

    def __init__(self, fails: Fails, runs_max: int) -> None:
        self._fails, self._runs_left = fails, runs_max
        self._results: dict[str, bool] = {}

    def fewest(self, rules: list[Rule]) -> list[Rule]:
        """Remove rules until a run with one rule less succeeds."""
        parts = 2
        while rules:
            size = -(-len(rules) // parts)
            for start in range(0, len(rules), size):
                rest = rules[:start] + rules[start + size :]
                if self._still_fails(rest):
                    rules, parts = rest, max(parts - 1, 2)
                    break
            else:
                if size == 1:
                    return rules
                parts = min(parts * 2, len(rules))
        return rules

    def lowest(self, rules: list[Rule], index: int, field: str) -> list[Rule]:
        """Lower a number of one rule, by bisection, as far as the runs fail."""
        present = rules[index].get(field, _TIMES_UNLIMITED if field == "times" else _NTH_DEFAULT)
        succeeds, fails = 0, present
        while fails - succeeds > 1:
            # 1 is the usual result, so it is tried first.
            middle = 1 if succeeds == 0 else (succeeds + fails) // 2
            candidate = [*rules]
            candidate[index] = rules[index] | {field: middle}
            if self._still_fails(candidate):
                rules, fails = candidate, middle
            else:
                succeeds = middle
        return rules

    def _still_fails(self, rules: list[Rule]) -> bool:
        key = json.dumps(rules, sort_keys=True)
        if key not in self._results:
            if self._runs_left == 0:
                return False
            self._runs_left -= 1
            self._results[key] = self._fails(rules)
        return self._results[key]
