"""Generates the function that finds the rules for the names in requests of one class.

It is generated as source, so that it reads the attributes of the class without calls of getters:
otherwise these are most of what rules for topics cost a small request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from broker.faults.named_fields import TopicFields, named_fields
from broker.faults.named_ids import groups_of, transactional_ids_of
from broker.faults.rule_group import RuleGroup
from broker.faults.topic_rules import TopicRules

Groups = Sequence[RuleGroup]
# Returns the groups that match a request; the mapping has the names of topic ids.
Matcher = Callable[[Any, Mapping[UUID, str]], Groups]
# Returns the groups in these lists if a request matches them; some lists are in it repeatedly.
Together = Callable[[Sequence[Groups], Any], Groups]


class Selected(NamedTuple):
    """What the names of requests select: topics, groups and transactional ids.

    With ``are_final``, a request with one of these names matches all of its groups.
    """

    topics: TopicRules | None
    groups: Mapping[str, Groups]
    transactional_ids: Mapping[str, Groups]
    are_final: bool


def matcher(cls: Any, selected: Selected, together: Together) -> Matcher:
    """The function for requests of the class; *together* is called unless one list is found."""
    topics, groups, ids, are_final = selected
    make = _maker(cls, topics is not None, bool(groups), bool(ids), are_final)
    matching: Matcher = make(
        topics, groups, groups_of(cls), ids, transactional_ids_of(cls), together
    )
    return matching


@cache
def _maker(cls: Any, *needed: bool) -> Any:
    scope: dict[str, Any] = {}
    exec("\n".join(_source(cls, *needed)), scope)  # noqa: S102 - it contains no input
    return scope["make"]


def _source(
    cls: Any, has_topics: bool, has_groups: bool, has_ids: bool, are_final: bool
) -> Iterator[str]:
    yield "def make(topic_rules, groups, groups_of, ids, ids_of, together):"
    if has_topics:
        yield "  rules_of, of_others = topic_rules.by_name.get, topic_rules.of_others"
        yield "  of_all = topic_rules.of_all"
    yield "  def matching(body, names):"
    yield "    found = []"
    for fields in named_fields(cls).topics if has_topics else ():
        indent, holder = "    ", "body"
        if fields.outer:
            yield f"    for struct in body.{fields.outer} or ():"
            indent, holder = "      ", "struct"
        yield from (indent + line for line in _topics(fields, holder))
    if has_groups:
        yield from _ids("groups", "groups_of")
    if has_ids:
        yield from _ids("ids", "ids_of")
    if are_final:
        yield "    if len(found) == 1: return found[0]"
    yield "    return together(found, body)"
    yield "  return matching"


def _topics(fields: TopicFields, holder: str) -> Iterator[str]:
    """Finds the groups of the topics in one list of *holder*."""
    yield f"topics = {holder}.{fields.field}"
    if fields.is_all:
        yield "if topics is None: found.append(of_all)"
    yield "for topic in topics or ():"
    yield f"  rules = rules_of({_name(fields)}, of_others)"
    yield "  if rules is None: continue"
    yield "  of_topic, by_partition = rules"
    if fields.partitions:
        yield f"  if by_partition and (partitions := topic.{fields.partitions}):"
        yield "    for partition in partitions:"
        number = f"partition.{fields.number}" if fields.number else "partition"
        yield f"      found.append(by_partition.get({number}, of_topic))"
        yield "    continue"
    yield "  found.append(of_topic)"


def _name(fields: TopicFields) -> str:
    """The name of a topic, empty or None if it is not known."""
    if fields.are_names:
        return "topic"
    named = [f"topic.{fields.name}"] if fields.name else []
    by_id = [f"names.get(topic.{fields.topic_id})"] if fields.topic_id else []
    return " or ".join(named + by_id)


def _ids(groups: str, ids_of: str) -> Iterator[str]:
    """Finds the groups of ids."""
    yield f"    if each := {ids_of}(body):"
    yield "      for name in (each,) if each.__class__ is str else each:"
    yield f"        if name in {groups}: found.append({groups}[name])"
