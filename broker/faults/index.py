"""The fault rules for requests of one API, by the name that selects them.

With 100 rules, each for another client, principal, topic, group or transactional id, a request is
compared with those of its own.
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

    __slots__ = (
        "_clients",
        "_groups",
        "_others",
        "_prefixes",
        "_principals",
        "_topics",
        "_transactional_ids",
    )

    def __init__(self, rules: Iterable[FaultRule]) -> None:
        self._others: list[FaultRule] = []
        self._clients: _Rules = {}
        # The beginnings of client ids, by their length.
        self._prefixes: dict[int, _Rules] = {}
        self._principals: _Rules = {}
        self._topics: _Rules = {}
        self._groups: _Rules = {}
        self._transactional_ids: _Rules = {}
        for rule in rules:
            self._of(rule).append(rule)

    def _of(self, rule: FaultRule) -> list[FaultRule]:
        """Where the rule is found: by its most selective name."""
        match = rule.spec.match
        assert match is not None
        for named, name in (
            (self._topics, match.topic),
            (self._groups, match.group),
            (self._transactional_ids, match.transactional_id),
            (self._principals, match.principal),
        ):
            if name is not None:
                return named.setdefault(name, [])
        client = match.client
        if client is None or client == "*":
            return self._others
        if not client.endswith("*"):
            return self._clients.setdefault(client, [])
        prefix = client[:-1]
        return self._prefixes.setdefault(len(prefix), {}).setdefault(prefix, [])

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
        found, client_id = self._others, subject.client_id
        if client_id is not None:
            if self._clients:
                found = found + self._clients.get(client_id, [])
            for length, prefixes in self._prefixes.items():
                found = found + prefixes.get(client_id[:length], [])
        if self._principals:
            found = found + self._principals.get(str(subject.session.principal), [])
        if self._topics:
            parts = subject.parts
            topics = self._topics if parts.has_all_topics else parts.topics
            found = found + _named(self._topics, topics)
        if self._groups:
            found = found + _named(self._groups, subject.parts.groups)
        if self._transactional_ids:
            found = found + _named(self._transactional_ids, subject.parts.transactional_ids)
        return found


def _named(rules: _Rules, names: Iterable[str]) -> list[FaultRule]:
    return [rule for name in names if name in rules for rule in rules[name]]
