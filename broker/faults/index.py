"""The fault rules for requests of one API, by the name that selects them.

With 100 rules, each for another client or topic, a request is compared with those of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from broker.faults.rule import FaultRule
from broker.faults.subject import Subject

_Rules = dict[str, list[FaultRule]]
_by_id = attrgetter("id")


class RuleIndex:
    """Finds the rules that may match a request."""

    __slots__ = ("_groups", "_others", "_topics", "_transactional_ids", "_with_clients")

    def __init__(self, rules: Iterable[FaultRule]) -> None:
        self._others: list[FaultRule] = []
        self._with_clients: _Rules = {}
        self._topics: _Rules = {}
        self._groups: _Rules = {}
        self._transactional_ids: _Rules = {}
        for rule in rules:
            self._add(rule)

    def _add(self, rule: FaultRule) -> None:
        match = rule.spec.match
        assert match is not None
        for named, name in (
            (self._with_clients, match.client),
            (self._topics, match.topic),
            (self._groups, match.group),
            (self._transactional_ids, match.transactional_id),
        ):
            if name is not None and not (named is self._with_clients and name.endswith("*")):
                named.setdefault(name, []).append(rule)
                return
        self._others.append(rule)

    def matching(self, subject: Subject) -> list[FaultRule]:
        """The rules that match, in the order in which they were set."""
        candidates = self._candidates(subject)
        if not candidates:
            return candidates
        matches = subject.matches
        found = [rule for rule in candidates if matches(rule.spec.match)]  # type: ignore[arg-type]  # rules for requests have a match
        if len(found) > 1:
            found.sort(key=_by_id)
        return found

    def _candidates(self, subject: Subject) -> list[FaultRule]:
        found = self._others
        if self._with_clients:
            found = found + self._with_clients.get(subject.client_id or "", [])
        if self._topics:
            parts = subject.parts
            topics = self._topics if parts.has_all_topics else parts.topics
            found = found + _of(self._topics, topics)
        if self._groups:
            found = found + _of(self._groups, subject.parts.groups)
        if self._transactional_ids:
            found = found + _of(self._transactional_ids, subject.parts.transactional_ids)
        return found


def _of(rules: _Rules, names: Iterable[str]) -> list[FaultRule]:
    return [rule for name in names if name in rules for rule in rules[name]]
