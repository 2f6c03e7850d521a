"""Waiting for a fault rule to fire."""

from __future__ import annotations

from broker.admin.conditions.condition import Finding
from broker.admin.facts.facts import LIMIT_MAX, Facts
from broker.admin.query import Query
from broker.common.errors import InvalidValue
from protocol.lazy_dataclass import dataclass

RULE_ID_MAX = 999_999_999_999


@dataclass(frozen=True, slots=True)
class FaultFired:
    """The rule has fired at least ``count`` times; `NoSuchRule` is raised if it is removed."""

    rule_id: int
    count: int

    def check(self, facts: Facts) -> Finding:
        """Compare the number."""
        rule = facts.faults.rule(self.rule_id)
        if rule.fired >= self.count:
            return {"fault": rule.facts()}, []
        matched = f"matched {rule.matched} and fired {rule.fired} of {self.count} times"
        return {}, [f"{rule.words} has {matched} and is {rule.state}"]

    def alternatives(self, _facts: Facts) -> list[str]:
        """Return nothing: the missing lines include the counts."""
        return []


def read_fault_fired(query: Query) -> FaultFired:
    """Read ``for=fault_fired``."""
    query.allow("for", "rule", "count", "timeout_ms")
    rule_id = query.whole("rule", 0, RULE_ID_MAX)
    if rule_id is None:
        raise InvalidValue("rule: give the id of a fault rule")
    return FaultFired(rule_id, query.whole("count", 1, LIMIT_MAX) or 1)
