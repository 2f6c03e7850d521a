"""The fields of requests that name topics, partitions, groups and transactional ids.

They are found by their names, once for each class of messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

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


class Kinds(NamedTuple):
    """Whether requests of an API name topics, partitions, groups and transactional ids."""

    topic: bool
    partition: bool
    group: bool
    transactional_id: bool


class TopicFields(NamedTuple):
    """The names of the attributes that hold topics; empty if there is no such attribute.

    The list ``field`` of the request, or of each struct in ``outer``, has the topics: names with
    ``are_names``, otherwise structs. ``number`` is an attribute of each of the ``partitions`` of a
    topic, or empty if these are numbers. A list that is null means all topics with ``is_all``, as
    in Metadata.
    """

    outer: str
    field: str
    name: str = ""
    topic_id: str = ""
    partitions: str = ""
    number: str = ""
    is_all: bool = False
    are_names: bool = False


class NameField(NamedTuple):
    """A name or a list of names, ``field`` of the request or of each struct in ``outer``."""

    outer: str
    field: str


class NamedFields(NamedTuple):
    """The fields of one class of requests."""

    topics: tuple[TopicFields, ...]
    groups: tuple[NameField, ...]
    transactional_ids: tuple[NameField, ...]


def kinds(cls: Any) -> Kinds:
    """What requests of the class name."""
    layout = named_fields(cls)
    of_coordinators = cls is FindCoordinatorRequest
    return Kinds(
        bool(layout.topics),
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


@cache
def named_fields(cls: Any) -> NamedFields:
    """The fields of a class of requests."""
    topics = list[TopicFields]()
    groups, transactional_ids = list[NameField](), list[NameField]()
    for outer, struct in _structs(cls):
        for name, hint in get_type_hints(struct).items():
            inner = _struct_in(hint)
            if name in _TOPICS and inner is not None:
                topics.append(_topic(outer, name, inner))
            elif inner is not None:
                continue
            elif name in _TOPIC_NAMES:
                topics.append(TopicFields(outer, name, are_names=True))
            elif name in _GROUPS:
                groups.append(NameField(outer, name))
            elif name in _TRANSACTIONAL_IDS:
                transactional_ids.append(NameField(outer, name))
    return NamedFields(tuple(topics), tuple(groups), tuple(transactional_ids))


def _structs(cls: Any) -> Iterator[tuple[str, Any]]:
    """The class and the structs in it that name something, with the fields of these."""
    yield "", cls
    for name, hint in get_type_hints(cls).items():
        inner = _struct_in(hint)
        if name in _OUTER and inner is not None:
            yield name, inner


def _topic(outer: str, field: str, struct: Any) -> TopicFields:
    hints = get_type_hints(struct)
    name, partitions = _first(hints, _TOPIC_NAME), _first(hints, _PARTITIONS)
    partition = _struct_in(hints[partitions]) if partitions else None
    number = _first(get_type_hints(partition), _PARTITION_NUMBER) if partition is not None else ""
    topic_id = "topic_id" if "topic_id" in hints else ""
    # A heartbeat, whose topics have ids only, says with null that nothing has changed.
    return TopicFields(outer, field, name, topic_id, partitions, number, is_all=bool(name))


def values_of(field: NameField, body: Any) -> list[str]:
    """The names in a field of a request."""
    found: list[str] = []
    for outer in (getattr(body, field.outer) or ()) if field.outer else (body,):
        value = getattr(outer, field.field)
        if isinstance(value, str):
            found.append(value)
        elif value is not None:
            found += value
    return found


def _first(hints: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if name in hints), "")


def _struct_in(hint: Any) -> Any:
    """The struct in an annotation such as ``list[FetchTopic] | None``, or None."""
    for inner in get_args(hint):
        found = _struct_in(inner)
        if found is not None:
            return found
    return hint if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__") else None
