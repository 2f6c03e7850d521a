"""Fault rules that match the same requests: a request is compared and counted once for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from broker.faults.matches import Matches
from broker.faults.rule import FaultRule
from broker.faults.rule_spec import Match


class RuleGroup:
    """Active rules that share ``matches``, in the order in which they were set.

    ``of_records`` is a rule that matches only a response with records, and counts it itself.
    With ``is_selected_by_name``, requests of a kind that they match need no other names than the
    one by which `Candidates` selects the group.
    """

    __slots__ = (
        "_due_from",
        "_matches",
        "_rules",
        "first_id",
        "is_selected_by_name",
        "match",
        "of_records",
    )

    def __init__(self, matches: Matches, rules: Sequence[FaultRule]) -> None:
        first = rules[0]
        assert first.spec.match is not None
        self.match: Match = first.spec.match
        self.first_id = first.id
        self.of_records = first if first.spec.action.is_of_records else None
        self._matches = matches
        self._rules = rules
        self.is_selected_by_name = _has_at_most_one_name(self.match)
        self._due_from = min(rule.due_from for rule in rules)

    def count(self, client_id: str | None) -> FaultRule | None:
        """Count a request that matches; returns the first rule that is to fire on it.

        A rule that matches only responses with records is not counted here.
        """
        assert self.of_records is None
        matches = self._matches
        if matches.is_per_client:
            count = matches.add(client_id)
        else:
            count = matches.total = matches.total + 1
        if count < self._due_from:
            return None
        return next((rule for rule in self._rules if rule.is_due(count, client_id)), None)


def _has_at_most_one_name(match: Match) -> bool:
    """Whether one name, or none, decides; a partition is a name together with its topic."""
    names = match.topic, match.group, match.transactional_id
    has_partition_alone = match.partition is not None and match.topic is None
    return sum(each is not None for each in names) <= 1 and not has_partition_alone


def groups_of(rules: Iterable[FaultRule]) -> list[RuleGroup]:
    """The groups of *rules*, whose matches are of requests."""
    by_matches: dict[Matches, list[FaultRule]] = {}
    for rule in rules:
        by_matches.setdefault(rule.matches, []).append(rule)
    return [RuleGroup(matches, some) for matches, some in by_matches.items()]
