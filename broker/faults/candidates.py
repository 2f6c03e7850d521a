"""The fault rules that can match requests of one kind, by the name that selects them.

With 100 rules, each for another topic, partition, group or transactional id, a request is compared
with those of its own names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from broker.faults.named_fields import named_fields
from broker.faults.named_ids import groups_of, transactional_ids_of
from broker.faults.rule_group import RuleGroup
from broker.faults.rule_spec import Match
from broker.faults.topic_rules import TopicRules, Unnamed

_Groups = dict[str, list[RuleGroup]]


class Candidates:
    """Rules whose properties are those of a kind of requests, so that only names are compared.

    The requests are of class *cls*. ``of_all_names`` are the rules if they match whatever the names
    are; None if names decide.
    """

    __slots__ = (
        "_groups",
        "_groups_of",
        "_others",
        "_topics",
        "_transactional_ids",
        "_transactional_ids_of",
        "_with_names",
        "of_all_names",
    )

    def __init__(self, groups: Iterable[RuleGroup], cls: Any) -> None:
        self._groups_of = groups_of(cls)
        self._transactional_ids_of = transactional_ids_of(cls)
        self._others: list[RuleGroup] = []
        of_topics: list[RuleGroup] = []
        self._groups: _Groups = {}
        self._transactional_ids: _Groups = {}
        # Whether any group needs more names than the one that selects it.
        self._with_names = False
        for group in groups:
            match = group.match
            if match.topic is not None or match.partition is not None:
                of_topics.append(group)
            elif match.group is not None:
                self._groups.setdefault(match.group, []).append(group)
            elif match.transactional_id is not None:
                self._transactional_ids.setdefault(match.transactional_id, []).append(group)
            else:
                self._others.append(group)
            self._with_names |= not group.is_selected_by_name
        self._topics = TopicRules(of_topics, named_fields(cls).topics) if of_topics else None
        has_names = of_topics or self._groups or self._transactional_ids
        self.of_all_names: Sequence[RuleGroup] | None = None if has_names else self._others

    def matching(
        self, body: Any, names: Mapping[UUID, str], unnamed: Unnamed | None
    ) -> list[RuleGroup]:
        """The groups that match a request, in any order.

        *names* and *unnamed* are those of `TopicRules.add_matching`.
        """
        found = self._others.copy()
        if self._topics is not None:
            self._topics.add_matching(body, names, unnamed, found)
        if self._groups:
            _add(self._groups, self._groups_of(body), found)
        if self._transactional_ids:
            _add(self._transactional_ids, self._transactional_ids_of(body), found)
        if self._with_names:
            found = [
                each for each in found if each.is_selected_by_name or self._has(each.match, body)
            ]
        return found

    def _has(self, match: Match, body: Any) -> bool:
        """Whether a request has the group and the transactional id of *match*."""
        group, transactional_id = match.group, match.transactional_id
        return (group is None or group in self._groups_of(body)) and (
            transactional_id is None or transactional_id in self._transactional_ids_of(body)
        )


def _add(groups: _Groups, names: Iterable[str], found: list[RuleGroup]) -> None:
    for name in names:
        if name in groups:
            found += groups[name]
