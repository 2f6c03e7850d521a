"""The topics, partitions, groups and transactional ids that requests of each API name.

They are found by the names of the fields of the message classes, once for each class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints
from uuid import UUID

from broker.faults.rule_spec import Match
from protocol.messages.find_coordinator import FindCoordinatorRequest

_TOPICS = ("topics", "topic_data", "topic_partitions", "v3_and_below_topics")
_TOPIC_NAMES = ("topic_names", "subscribed_topic_names")
_PARTITIONS = ("partitions", "partition_data", "partition_indexes")
_TOPIC_NAME = ("name", "topic", "topic_name")
_PARTITION_NUMBER = ("index", "partition", "partition_index")
_GROUPS = ("group_id", "group_ids", "groups_names", "groups")
_TRANSACTIONAL_IDS = ("transactional_id", "transactional_ids", "v3_and_below_transactional_id")
# The structs that contain some of the above.
_OUTER = ("groups", "transactions", "markers", "dirs")
_GROUP_KEY_TYPE = 0

# The name of a topic with an id; None if there is none.
NameOf = Callable[[UUID], str | None]
# The topics and partitions that a request is about without naming them.
Unnamed = Callable[[], Iterable[tuple[str, int]]]


class Kinds(NamedTuple):
    """Whether requests of an API name topics, partitions, groups and transactional ids."""

    topic: bool
    partition: bool
    group: bool
    transactional_id: bool


class Parts:
    """The names in one decoded request, each kind determined when it is needed.

    *name_of* returns the name of a topic id, *unnamed* the topics and partitions that the request
    is about without naming them.
    """

    __slots__ = (
        "_body",
        "_groups",
        "_has_all_topics",
        "_layout",
        "_name_of",
        "_topics",
        "_unnamed",
    )

    def __init__(self, body: Any, name_of: NameOf, unnamed: Unnamed | None) -> None:
        self._body = body
        self._layout = _layout(body.__class__)
        self._name_of = name_of
        self._unnamed = unnamed
        self._topics: dict[str, list[int]] | None = None
        self._has_all_topics = False
        self._groups: set[str] | None = None

    @property
    def has_all_topics(self) -> bool:
        """Whether the request is about all topics, and about those in ``topics``."""
        self.topics  # noqa: B018 - determines it
        return self._has_all_topics

    @property
    def topics(self) -> dict[str, list[int]]:
        """The partitions that are named of each topic."""
        found = self._topics
        if found is None:
            found = self._topics = {}
            layout, body = self._layout, self._body
            for topic in layout.topics:
                for outer in _outers(body, topic.outer):
                    self._add_topics(found, getattr(outer, topic.field), topic)
            for names in layout.topic_names:
                for name in _values(body, names):
                    found.setdefault(name, [])
            if self._unnamed is not None:
                for name, partition in self._unnamed():
                    found.setdefault(name, []).append(partition)
        return found

    def _add_topics(self, found: dict[str, list[int]], topics: Any, layout: _Topic) -> None:
        if topics is None:
            # All topics, as in Metadata; a heartbeat, with ids only, says that nothing changed.
            self._has_all_topics = self._has_all_topics or bool(layout.name)
            return
        _, _, name_field, id_field, inner, number = layout
        for topic in topics:
            name = getattr(topic, name_field) if name_field else None
            if not name and id_field:
                name = self._name_of(getattr(topic, id_field))
            if not name:
                continue
            given = (getattr(topic, inner) if inner else None) or ()
            numbers = [getattr(each, number) for each in given] if number else list(given)
            if name in found:
                found[name] += numbers
            else:
                found[name] = numbers

    @property
    def groups(self) -> set[str]:
        """The ids of groups."""
        found = self._groups
        if found is None:
            found = self._groups = self._values(self._layout.groups)
            if type(self._body) is FindCoordinatorRequest and _is_of_group(self._body):
                found |= {self._body.key, *self._body.coordinator_keys}
        return found

    @property
    def transactional_ids(self) -> set[str]:
        """The transactional ids."""
        found = self._values(self._layout.transactional_ids)
        if type(self._body) is FindCoordinatorRequest and not _is_of_group(self._body):
            found |= {self._body.key, *self._body.coordinator_keys}
        return found

    def _values(self, fields: tuple[_Names, ...]) -> set[str]:
        if len(fields) == 1 and not fields[0].outer:  # most requests have at most one name
            value = getattr(self._body, fields[0].field)
            if value is None:
                return set()
            if isinstance(value, str):
                return {value}
        return {value for names in fields for value in _values(self._body, names)}

    def has_partition(self, topic: str | None, partition: int | None) -> bool:
        """Whether the request names the topic, and the partition of it; None is any."""
        if self.has_all_topics:
            return True
        if topic is not None:
            partitions = self.topics.get(topic)
            return partitions is not None and (partition is None or partition in partitions)
        return any(partition in each for each in self.topics.values())


def _is_of_group(body: FindCoordinatorRequest) -> bool:
    return body.key_type == _GROUP_KEY_TYPE


class _Topic(NamedTuple):
    """The attributes of a struct about a topic; empty if it has none."""

    outer: str
    field: str
    name: str
    topic_id: str
    partitions: str
    number: str  # of each partition, if these are structs


class _Names(NamedTuple):
    outer: str
    field: str


class _Layout(NamedTuple):
    topics: tuple[_Topic, ...]
    topic_names: tuple[_Names, ...]
    groups: tuple[_Names, ...]
    transactional_ids: tuple[_Names, ...]


def kinds(cls: Any) -> Kinds:
    """What requests of the class name."""
    layout = _layout(cls)
    of_coordinators = cls is FindCoordinatorRequest
    return Kinds(
        bool(layout.topics or layout.topic_names),
        any(each.partitions for each in layout.topics),
        bool(layout.groups) or of_coordinators,
        bool(layout.transactional_ids) or of_coordinators,
    )


def names_all(cls: Any, names: Match) -> bool:
    """Whether requests of the class name all kinds of which *names* has one."""
    named = kinds(cls)
    return (
        (names.topic is None or named.topic)
        and (names.partition is None or named.partition)
        and (names.group is None or named.group)
        and (names.transactional_id is None or named.transactional_id)
    )


def _outers(body: Any, outer: str) -> Iterable[Any]:
    if not outer:
        return (body,)
    return getattr(body, outer) or ()


def _values(body: Any, names: _Names) -> list[str]:
    found: list[str] = []
    for outer in _outers(body, names.outer):
        value = getattr(outer, names.field)
        if isinstance(value, str):
            found.append(value)
        elif value is not None:
            found += value
    return found


@cache
def _layout(cls: Any) -> _Layout:
    topics, topic_names = list[_Topic](), list[_Names]()
    groups, transactional_ids = list[_Names](), list[_Names]()
    for outer, struct in _structs(cls):
        for name, hint in get_type_hints(struct).items():
            inner = _struct_in(hint)
            if name in _TOPICS and inner is not None:
                topics.append(_topic(outer, name, inner))
            elif inner is not None:
                continue
            elif name in _TOPIC_NAMES:
                topic_names.append(_Names(outer, name))
            elif name in _GROUPS:
                groups.append(_Names(outer, name))
            elif name in _TRANSACTIONAL_IDS:
                transactional_ids.append(_Names(outer, name))
    return _Layout(tuple(topics), tuple(topic_names), tuple(groups), tuple(transactional_ids))


def _structs(cls: Any) -> Iterator[tuple[str, Any]]:
    """The class and the structs in it that name something, with the fields of these."""
    yield "", cls
    for name, hint in get_type_hints(cls).items():
        inner = _struct_in(hint)
        if name in _OUTER and inner is not None:
            yield name, inner


def _topic(outer: str, field: str, struct: Any) -> _Topic:
    hints = get_type_hints(struct)
    partitions = _first(hints, _PARTITIONS)
    partition = _struct_in(hints[partitions]) if partitions else None
    return _Topic(
        outer,
        field,
        _first(hints, _TOPIC_NAME),
        "topic_id" if "topic_id" in hints else "",
        partitions,
        "" if partition is None else _first(get_type_hints(partition), _PARTITION_NUMBER),
    )


def _first(hints: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if name in hints), "")


def _struct_in(hint: Any) -> Any:
    """The struct in an annotation such as ``list[FetchTopic] | None``, or None."""
    for inner in get_args(hint):
        found = _struct_in(inner)
        if found is not None:
            return found
    return hint if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__") else None
