"""The fault rules that can match requests of one kind, by the name that selects them.

With 100 rules, each for another topic, partition, group or transactional id, a request is compared
with those of its own names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any
from uuid import UUID

from broker.faults.matcher import Groups, Selected, matcher
from broker.faults.named_ids import groups_of, has_id, transactional_ids_of
from broker.faults.rule_group import RuleGroup
from broker.faults.rule_spec import Match
from broker.faults.topic_rules import TopicRules
from protocol.messages.fetch import FetchRequest

_ById = dict[str, list[RuleGroup]]


class Candidates:
    """Rules whose properties are those of a kind of requests, so that only names are compared.

    The requests are of class *cls*. ``of_all_names`` are the rules if they match whatever the names
    are; None if names decide. Then ``matching`` returns those that match a request, in any order;
    the names of topic ids are given to it. ``are_of_fetches``: a request may have a session.
    """

    __slots__ = ("_cls", "_others", "_topics", "are_of_fetches", "matching", "of_all_names")

    def __init__(self, groups: Iterable[RuleGroup], cls: Any) -> None:
        self._cls = cls
        self.are_of_fetches = cls is FetchRequest
        others = self._others = list[RuleGroup]()
        of_topics: list[RuleGroup] = []
        of_groups: _ById = {}
        of_transactional_ids: _ById = {}
        are_final = True
        for group in groups:
            match = group.match
            if match.topic is not None or match.partition is not None:
                of_topics.append(group)
            elif match.group is not None:
                of_groups.setdefault(match.group, []).append(group)
            elif match.transactional_id is not None:
                of_transactional_ids.setdefault(match.transactional_id, []).append(group)
            else:
                others.append(group)
            are_final &= group.is_selected_by_name
        self._topics = TopicRules(of_topics, others) if of_topics else None
        by_group, by_transactional_id = (
            _with(others, of_groups),
            _with(others, of_transactional_ids),
        )
        selected = Selected(self._topics, by_group, by_transactional_id, are_final)
        self.matching = matcher(cls, selected, self._together)
        has_names = of_topics or of_groups or of_transactional_ids
        self.of_all_names: Groups | None = None if has_names else others

    def matching_session(
        self, body: Any, names: Mapping[UUID, str], partitions: Iterable[tuple[str, int]]
    ) -> Groups:
        """As ``matching`` of a fetch that is also about the *partitions* of its session."""
        of_session = [] if self._topics is None else self._topics.of_partitions(partitions)
        return self._together([self.matching(body, names), *of_session], body)

    def _together(self, found: Sequence[Groups], body: Any) -> Groups:
        """The groups in these lists, each once, if the request has all of their names."""
        if not found:
            return self._others
        lists = {id(each): each for each in found}.values()
        return [
            each
            for each in dict.fromkeys(chain.from_iterable(lists))
            if each.is_selected_by_name or self._has(each.match, body)
        ]

    def _has(self, match: Match, body: Any) -> bool:
        """Whether a request has the group and the transactional id of *match*."""
        group, transactional_id = match.group, match.transactional_id
        return (group is None or has_id(groups_of(self._cls)(body), group)) and (
            transactional_id is None
            or has_id(transactional_ids_of(self._cls)(body), transactional_id)
        )


def _with(others: list[RuleGroup], groups: _ById) -> _ById:
    """The groups by id, each time after *others*: those of a request with one id."""
    return {name: [*others, *some] for name, some in groups.items()}
