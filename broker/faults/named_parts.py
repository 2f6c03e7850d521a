"""The topics, partitions, groups and transactional ids that one request names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from typing import Any
from uuid import UUID

from broker.faults.named_fields import NameField, TopicFields, named_fields
from broker.faults.rule_spec import Match
from protocol.messages.find_coordinator import FindCoordinatorRequest

_GROUP_KEY_TYPE = 0

# The topics and partitions that a request is about without naming them.
Unnamed = Callable[[], Iterable[tuple[str, int]]]


class NamedParts:
    """The names in a decoded request.

    *names* has the name of each topic id, and *unnamed* returns the topics and partitions that the
    request is about without naming them.
    """

    __slots__ = ("_body", "_fields", "_names", "_unnamed")

    def __init__(self, body: Any, names: Mapping[UUID, str], unnamed: Unnamed | None) -> None:
        self._body = body
        self._fields = named_fields(body.__class__)
        self._names = names
        self._unnamed = unnamed

    def topics(self, among: Container[str] | None = None) -> dict[str, list[int]] | None:
        """The partitions that are named of each topic in *among*, which is all topics without it.

        None if the request is about all topics.
        """
        found: dict[str, list[int]] = {}
        body, (of_topics, of_names, _, _) = self._body, self._fields
        for fields in of_topics:
            structs = _structs(body, fields.outer) if fields.outer else (body,)
            for struct in structs:
                if not self._add_topics(found, struct, fields, among):
                    return None
        if of_names or self._unnamed is not None:
            self._add_others(found, among)
        return found

    def _add_topics(
        self,
        found: dict[str, list[int]],
        struct: Any,
        fields: TopicFields,
        among: Container[str] | None,
    ) -> bool:
        """Add the topics of a struct to *found*; False if it is about all topics."""
        _, field, name_field, id_field, partitions, number = fields
        topics = getattr(struct, field)
        if topics is None:
            # As in Metadata; a heartbeat, with ids only, says that nothing changed.
            return not name_field
        for topic in topics:
            name = getattr(topic, name_field) if name_field else None
            if not name and id_field:
                name = self._names.get(getattr(topic, id_field))
            if not name or (among is not None and name not in among):
                continue
            given = (getattr(topic, partitions) if partitions else None) or ()
            numbers = list(given if number is None else map(number, given))
            if name in found:
                found[name] += numbers
            else:
                found[name] = numbers
        return True

    def _add_others(self, found: dict[str, list[int]], among: Container[str] | None) -> None:
        """Add topics without a struct, and those that the request is about without naming them."""
        named = [
            (name, ()) for names in self._fields.topic_names for name in _values(self._body, names)
        ]
        unnamed = (
            [] if self._unnamed is None else [(name, (each,)) for name, each in self._unnamed()]
        )
        for name, partitions in (*named, *unnamed):
            if among is None or name in among:
                found.setdefault(name, []).extend(partitions)

    def groups(self) -> Collection[str]:
        """The ids of groups."""
        body = self._body
        if body.__class__ is FindCoordinatorRequest:
            return _keys(body) if body.key_type == _GROUP_KEY_TYPE else ()
        return _distinct(body, self._fields.groups)

    def transactional_ids(self) -> Collection[str]:
        """The transactional ids."""
        body = self._body
        if body.__class__ is FindCoordinatorRequest:
            return _keys(body) if body.key_type != _GROUP_KEY_TYPE else ()
        return _distinct(body, self._fields.transactional_ids)

    def has(self, match: Match) -> bool:
        """Whether the request has all names of *match*."""
        return (
            self._has_partition(match.topic, match.partition)
            and (match.group is None or match.group in self.groups())
            and (
                match.transactional_id is None or match.transactional_id in self.transactional_ids()
            )
        )

    def _has_partition(self, topic: str | None, partition: int | None) -> bool:
        if topic is None and partition is None:
            return True
        topics = self.topics(None if topic is None else (topic,))
        if topics is None or partition is None:
            return topics is None or bool(topics)
        return any(partition in each for each in topics.values())


def _keys(body: FindCoordinatorRequest) -> set[str]:
    return {body.key, *body.coordinator_keys}


def _distinct(body: Any, fields: tuple[NameField, ...]) -> Collection[str]:
    if len(fields) == 1:  # most requests have at most one name
        [names] = fields
        value = None if names.outer else getattr(body, names.field)
        if isinstance(value, str):
            return (value,)
        if value is None and not names.outer:
            return ()
    return {value for names in fields for value in _values(body, names)}


def _values(body: Any, names: NameField) -> list[str]:
    found: list[str] = []
    for outer in _structs(body, names.outer):
        value = getattr(outer, names.field)
        if isinstance(value, str):
            found.append(value)
        elif value is not None:
            found += value
    return found


def _structs(body: Any, outer: str) -> Iterable[Any]:
    if not outer:
        return (body,)
    return getattr(body, outer) or ()
