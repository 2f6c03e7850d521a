"""Fault rules that match the same requests: a request is compared and counted once for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from broker.faults.matches import Matches
from broker.faults.rule import FaultRule
from broker.faults.rule_spec import Match


class RuleGroup:
    """Active rules that share ``matches``, in the order in which they were set.

    None of them fires on a match before ``due_from``.
    ``of_records`` is a rule that matches only a response with records, and counts it itself.
    With ``is_counted_in_total``, a request is counted in ``matches.total`` only.
    With ``is_selected_by_name``, requests of a kind that they match need no other names than the
    one by which `Candidates` selects the group.
    """

    __slots__ = (
        "_rules",
        "due_from",
        "first_id",
        "is_counted_in_total",
        "is_selected_by_name",
        "match",
        "matches",
        "of_records",
    )

    def __init__(self, matches: Matches, rules: Sequence[FaultRule]) -> None:
        first = rules[0]
        assert first.spec.match is not None
        self.match: Match = first.spec.match
        self.first_id = first.id
        self.of_records = first if first.spec.action.is_of_records else None
        self.matches = matches
        self.is_counted_in_total = self.of_records is None and not matches.is_per_client
        self._rules = rules
        self.is_selected_by_name = _has_at_most_one_name(self.match)
        self.due_from = min(rule.due_from for rule in rules)

    def count(self, client_id: str | None) -> int:
        """Count a match, unless that depends on the response; returns which one it is."""
        return self.due_from if self.of_records is not None else self.matches.add(client_id)

    def due(self, count: int, client_id: str | None) -> FaultRule | None:
        """The first rule that is to fire on the match that is *count* in ``matches``."""
        return next((rule for rule in self._rules if rule.is_due(count, client_id)), None)


def _has_at_most_one_name(match: Match) -> bool:
    """Whether one name, or none, decides; a partition is a name together with its topic."""
    has_topic = match.topic is not None or match.partition is not None
    return has_topic + (match.group is not None) + (match.transactional_id is not None) <= 1


def groups_of(rules: Iterable[FaultRule]) -> list[RuleGroup]:
    """The groups of *rules*, whose matches are of requests."""
    by_matches: dict[Matches, list[FaultRule]] = {}
    for rule in rules:
        by_matches.setdefault(rule.matches, []).append(rule)
    return [RuleGroup(matches, some) for matches, some in by_matches.items()]
