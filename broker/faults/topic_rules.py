"""The fault rules that name a topic or a partition, found by reading the topics of a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index, itemgetter
from typing import Any
from uuid import UUID

from broker.faults.named_fields import TopicFields
from broker.faults.rule_group import RuleGroup

# The topics and partitions that a request is about without naming them.
Unnamed = Callable[[], Sequence[tuple[str, int]]]
# The groups of a topic without a partition, and those of each of its partitions.
_OfTopic = tuple[list[RuleGroup], dict[int, list[RuleGroup]]]


class TopicRules:
    """Groups of rules by topic and partition, for requests whose topics are in *fields*.

    A group with a partition and no topic is one of each topic.
    """

    __slots__ = ("_all", "_by_topic", "_fields", "_of_others")

    def __init__(self, groups: Iterable[RuleGroup], fields: tuple[TopicFields, ...]) -> None:
        self._fields = fields
        self._all = list(groups)
        by_topic: dict[str | None, _OfTopic] = {None: ([], {})}
        for group in self._all:
            match = group.match
            of_topic, by_partition = by_topic.setdefault(match.topic, ([], {}))
            if match.partition is None:
                of_topic.append(group)
            else:
                by_partition.setdefault(match.partition, []).append(group)
        # The groups of topics without groups of their own; None without any.
        self._of_others: _OfTopic | None = by_topic.pop(None)
        of_any = self._of_others[1]
        for _, by_partition in by_topic.values():
            for partition, of_partition in of_any.items():
                by_partition.setdefault(partition, []).extend(of_partition)
        if not of_any:
            self._of_others = None
        self._by_topic = by_topic

    def add_matching(
        self, body: Any, names: Mapping[UUID, str], unnamed: Unnamed | None, found: list[RuleGroup]
    ) -> None:
        """Add the groups that match a request to *found*, each once.

        *names* has the name of each topic id, and *unnamed* returns the topics and partitions that
        the request is about without naming them.
        """
        rules_of, of_others, count = self._by_topic.get, self._of_others, 0
        fields = self._fields if unnamed is None else (*self._fields, _fields_of(unnamed))
        for topics_of, name_of, id_of, partitions_of, number_of in fields:
            topics = topics_of(body)
            if topics is None:
                found += self._all
                return
            for topic in topics:
                name = None if name_of is None else name_of(topic)
                if not name and id_of is not None:
                    name = names.get(id_of(topic))
                if not name or (rules := rules_of(name, of_others)) is None:
                    continue
                count += 1
                of_topic, by_partition = rules
                found += of_topic
                if by_partition and partitions_of is not None:
                    for partition in partitions_of(topic) or ():
                        count += 1
                        number = number_of(partition)
                        if number in by_partition:
                            found += by_partition[number]
        if count > 2:  # a topic or a partition may be named repeatedly
            found[:] = dict.fromkeys(found)


def _fields_of(unnamed: Unnamed) -> TopicFields:
    """Reads what *unnamed* returns as if it were in the request."""
    return TopicFields(lambda _: unnamed(), itemgetter(0), None, itemgetter(slice(1, 2)), index)
