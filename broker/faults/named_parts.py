"""The topics, partitions, groups and transactional ids that requests of each API name.

They are found by the names of the fields of the message classes, once for each class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints
from uuid import UUID

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


class Kinds(NamedTuple):
    """Whether requests of an API name topics, partitions, groups and transactional ids."""

    topic: bool
    partition: bool
    group: bool
    transactional_id: bool


class Parts:
    """The names in one request; the partitions of a topic are None where it has none.

    ``has_all_topics``: the request is about all topics, and about those in ``topics``.
    """

    __slots__ = ("groups", "has_all_topics", "topics", "transactional_ids")

    def __init__(self) -> None:
        self.topics: dict[str, set[int]] = {}
        self.has_all_topics = False
        self.groups: set[str] = set()
        self.transactional_ids: set[str] = set()

    def has_partition(self, topic: str | None, partition: int | None) -> bool:
        """Whether the request names the topic, and the partition of it; None is any."""
        if self.has_all_topics:
            return True
        if topic is not None:
            partitions = self.topics.get(topic)
            return partitions is not None and (partition is None or partition in partitions)
        return any(partition in each for each in self.topics.values())


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


def parts_of(body: Any, name_of: NameOf) -> Parts:
    """What a decoded request names; the name of a topic id is *name_of* it."""
    parts = Parts()
    layout = _layout(body.__class__)
    for topic in layout.topics:
        for outer in _outers(body, topic.outer):
            _add_topics(parts, getattr(outer, topic.field), topic, name_of)
    for names in layout.topic_names:
        for name in _values(body, names):
            parts.topics.setdefault(name, set())
    for names in layout.groups:
        parts.groups.update(_values(body, names))
    for names in layout.transactional_ids:
        parts.transactional_ids.update(_values(body, names))
    if type(body) is FindCoordinatorRequest:
        keys = {body.key, *body.coordinator_keys}
        is_group = body.key_type == _GROUP_KEY_TYPE
        (parts.groups if is_group else parts.transactional_ids).update(keys)
    return parts


def _add_topics(parts: Parts, topics: Any, layout: _Topic, name_of: NameOf) -> None:
    if topics is None:
        # All topics, as in Metadata; a heartbeat, which has only ids, says that nothing changed.
        parts.has_all_topics = parts.has_all_topics or bool(layout.name)
        return
    for topic in topics:
        name = getattr(topic, layout.name) if layout.name else None
        if not name and layout.topic_id:
            name = name_of(getattr(topic, layout.topic_id))
        if not name:
            continue
        partitions = parts.topics.setdefault(name, set())
        if not layout.partitions:
            continue
        given = getattr(topic, layout.partitions)
        if given is None:
            continue
        partitions.update(
            [getattr(each, layout.number) for each in given] if layout.number else given
        )


def _outers(body: Any, outer: str) -> Iterator[Any]:
    if not outer:
        yield body
    else:
        yield from getattr(body, outer) or ()


def _values(body: Any, names: _Names) -> Iterator[str]:
    for outer in _outers(body, names.outer):
        value = getattr(outer, names.field)
        if isinstance(value, str):
            yield value
        elif value is not None:
            yield from value


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
