"""The fault rules that name a topic or a partition, by the names of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from broker.faults.rule_group import RuleGroup

# The groups of a topic, whatever the partition is, and those of each partition that has more.
_OfTopic = tuple[list[RuleGroup], dict[int, list[RuleGroup]]]


class TopicRules:
    """Groups of rules by topic and partition; those with a partition only are of each topic.

    A request that names a topic also matches *others*, which are in each list, so that no list is
    made for a request with one topic. ``by_name`` has the groups of topics, ``of_others`` are those
    of each topic that it does not have, and ``of_all`` those of a request about all topics.
    """

    __slots__ = ("by_name", "of_all", "of_others")

    def __init__(self, groups: Sequence[RuleGroup], others: Sequence[RuleGroup]) -> None:
        by_topic: dict[str | None, list[RuleGroup]] = {None: []}
        for group in groups:
            by_topic.setdefault(group.match.topic, []).append(group)
        of_any = by_topic.pop(None)
        self.of_all = [*others, *groups]
        self.of_others = _of_topic(of_any, others) if of_any else None
        # A topic whose name is not known matches no rule.
        self.by_name: dict[str | None, _OfTopic | None] = {None: None, "": None}
        for topic, of_topic in by_topic.items():
            self.by_name[topic] = _of_topic([*of_any, *of_topic], others)

    def of_partitions(self, partitions: Iterable[tuple[str, int]]) -> list[list[RuleGroup]]:
        """The groups of topics and partitions, some of them repeatedly."""
        found = []
        for topic, partition in partitions:
            rules = self.by_name.get(topic, self.of_others)
            if rules is not None:
                of_topic, by_partition = rules
                found.append(by_partition.get(partition, of_topic))
        return found


def _of_topic(groups: Iterable[RuleGroup], others: Iterable[RuleGroup]) -> _OfTopic:
    """The groups of one topic."""
    of_topic = list(others)
    by_partition: dict[int, list[RuleGroup]] = {}
    for group in groups:
        if group.match.partition is None:
            of_topic.append(group)
        else:
            by_partition.setdefault(group.match.partition, []).append(group)
    return of_topic, {number: [*of_topic, *some] for number, some in by_partition.items()}
