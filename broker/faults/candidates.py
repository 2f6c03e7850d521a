"""The fault rules that can match requests of one kind, by the name that selects them.

With 100 rules, each for another topic, partition, group or transactional id, a request is compared
with those of its own names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from broker.faults.named_parts import NamedParts
from broker.faults.rule_group import RuleGroup

_Groups = dict[str, list[RuleGroup]]


class Candidates:
    """Rules whose properties are those of a kind of requests, so that only names are compared.

    ``of_all_names`` are the rules if they match whatever the names are; None if names decide.
    """

    __slots__ = (
        "_groups",
        "_others",
        "_topics",
        "_transactional_ids",
        "_with_names",
        "of_all_names",
    )

    def __init__(self, groups: Iterable[RuleGroup]) -> None:
        self._others: list[RuleGroup] = []
        # By partition, None for those without one, of each topic.
        self._topics: dict[str, dict[int | None, list[RuleGroup]]] = {}
        self._groups: _Groups = {}
        self._transactional_ids: _Groups = {}
        # Whether any group needs more names than the one that selects it.
        self._with_names = False
        for group in groups:
            self._of(group).append(group)
            self._with_names |= not group.is_selected_by_name
        has_names = self._topics or self._groups or self._transactional_ids or self._with_names
        self.of_all_names: Sequence[RuleGroup] | None = None if has_names else self._others

    def _of(self, group: RuleGroup) -> list[RuleGroup]:
        """Where the group is found: by its most selective name."""
        match = group.match
        if match.topic is not None:
            return self._topics.setdefault(match.topic, {}).setdefault(match.partition, [])
        if match.group is not None:
            return self._groups.setdefault(match.group, [])
        if match.transactional_id is not None:
            return self._transactional_ids.setdefault(match.transactional_id, [])
        return self._others

    def matching(self, parts: NamedParts) -> list[RuleGroup]:
        """The groups that match a request, in any order."""
        found = self._others.copy()
        if self._topics:
            self._add_of_topics(parts, found)
        if self._groups:
            _add(self._groups, parts.groups(), found)
        if self._transactional_ids:
            _add(self._transactional_ids, parts.transactional_ids(), found)
        if self._with_names:
            found = [each for each in found if each.is_selected_by_name or parts.has(each.match)]
        return found

    def _add_of_topics(self, parts: NamedParts, found: list[RuleGroup]) -> None:
        topics = parts.topics(self._topics)
        if topics is None:
            for partitions in self._topics.values():
                for groups in partitions.values():
                    found += groups
            return
        for topic, numbers in topics.items():
            partitions = self._topics[topic]
            if None in partitions:
                found += partitions[None]
            for number in numbers if len(numbers) <= 1 else dict.fromkeys(numbers):
                if number in partitions:
                    found += partitions[number]


def _add(groups: _Groups, names: Iterable[str], found: list[RuleGroup]) -> None:
    for name in names:
        if name in groups:
            found += groups[name]
