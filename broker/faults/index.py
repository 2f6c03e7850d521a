"""The fault rules for requests of one API, by the name that selects them.

With 100 rules, each for another client, principal, topic, partition, group or transactional id, a
request is compared with those of its own. Rules that match the same are compared once
(`broker.faults.rule_group`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from operator import attrgetter
from typing import Any

from broker.faults.rule import FaultRule
from broker.faults.rule_group import RuleGroup, groups_of
from broker.faults.subject import Subject

_Groups = dict[Any, list[RuleGroup]]
_by_id = attrgetter("first_id")


class RuleIndex:
    """Finds the groups of rules that match a request."""

    __slots__ = (
        "_clients",
        "_groups",
        "_others",
        "_partitions",
        "_prefixes",
        "_principals",
        "_topics",
        "_transactional_ids",
    )

    def __init__(self, rules: Iterable[FaultRule]) -> None:
        self._others: list[RuleGroup] = []
        self._clients: _Groups = {}
        # The beginnings of client ids, by their length.
        self._prefixes: dict[int, _Groups] = {}
        self._principals: _Groups = {}
        self._topics: _Groups = {}
        # By partition, of each topic.
        self._partitions: dict[str, _Groups] = {}
        self._groups: _Groups = {}
        self._transactional_ids: _Groups = {}
        for group in groups_of(rules):
            self._of(group).append(group)

    def _of(self, group: RuleGroup) -> list[RuleGroup]:
        """Where the group is found: by its most selective name."""
        match = group.match
        if match.topic is not None and match.partition is not None:
            return self._partitions.setdefault(match.topic, {}).setdefault(match.partition, [])
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

    def matching(self, subject: Subject) -> list[RuleGroup]:
        """The groups that match, in the order in which their first rules were set."""
        candidates = self._candidates(subject)
        if not candidates:
            return candidates
        sender = int(subject.is_from_broker)
        found = [
            group
            for group in candidates
            if group.senders[sender] and (group.has_one_name or subject.matches(group.match))
        ]
        if len(found) > 1:
            found.sort(key=_by_id)
        return found

    def _candidates(self, subject: Subject) -> list[RuleGroup]:
        found, client_id = self._others, subject.header.client_id
        if client_id is not None:
            if client_id in self._clients:
                found = found + self._clients[client_id]
            for length, prefixes in self._prefixes.items():
                prefix = client_id[:length]
                if prefix in prefixes:
                    found = found + prefixes[prefix]
        if self._principals:
            found = found + _named(self._principals, (str(subject.session.principal),))
        if self._topics or self._partitions:
            found = found + self._of_topics(subject)
        if self._groups:
            found = found + _named(self._groups, subject.parts.groups)
        if self._transactional_ids:
            found = found + _named(self._transactional_ids, subject.parts.transactional_ids)
        return found

    def _of_topics(self, subject: Subject) -> list[RuleGroup]:
        parts = subject.parts
        if parts.has_all_topics:
            return [
                group
                for named in (self._topics, *self._partitions.values())
                for some in named.values()
                for group in some
            ]
        found = _named(self._topics, parts.topics) if self._topics else []
        if self._partitions:
            for topic, numbers in parts.topics.items():
                if topic in self._partitions:
                    found += _named(self._partitions[topic], dict.fromkeys(numbers))
        return found


def _named(groups: _Groups, names: Iterable[Hashable]) -> list[RuleGroup]:
    return [group for name in names if name in groups for group in groups[name]]
