"""Fault rules that match the same requests: a request is compared and counted once for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from broker.faults.matches import Matches
from broker.faults.rule import FaultRule
from broker.faults.rule_spec import Match
from broker.faults.subject import Subject


class RuleGroup:
    """Active rules that share ``matches``, in the order in which they were set.

    ``of_records`` is a rule that matches only a response with records, and counts it itself.
    """

    __slots__ = (
        "_due_from",
        "_has_one_name",
        "_matches",
        "_rules",
        "first_id",
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
        self._has_one_name = _has_one_name(self.match)
        self._due_from = min(rule.due_from for rule in rules)

    def concerns(self, subject: Subject) -> bool:
        """Whether the rules match a request that has the name by which the index has the group."""
        if self._has_one_name:
            return subject.has_origin(self.match.origin)
        return subject.matches(self.match)

    def count(self, client_id: str | None) -> FaultRule | None:
        """Count a request that matches; returns the first rule that is to fire on it."""
        if self.of_records is not None:
            return None
        count = self._matches.add(client_id)
        if count < self._due_from:
            return None
        return next((rule for rule in self._rules if rule.is_due(count, client_id)), None)


def _has_one_name(match: Match) -> bool:
    """Whether a request with the name of the match, beside the API and the origin, matches."""
    others = match.version, match.listener, match.node
    names = match.topic, match.group, match.transactional_id, match.principal, match.client
    return (
        all(each is None for each in others)
        and sum(each is not None for each in names) <= 1
        and (match.partition is None or match.topic is not None)
        and match.client != "*"
    )


def groups_of(rules: Iterable[FaultRule]) -> list[RuleGroup]:
    """The groups of *rules*, whose matches are of requests."""
    by_matches: dict[Matches, list[FaultRule]] = {}
    for rule in rules:
        by_matches.setdefault(rule.matches, []).append(rule)
    return [RuleGroup(matches, some) for matches, some in by_matches.items()]
