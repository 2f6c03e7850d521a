"""Reads the groups and the transactional ids that a decoded request names."""

from __future__ import annotations

from collections.abc import Callable, Collection
from operator import attrgetter
from typing import Any

from broker.faults.named_fields import NameField, named_fields, values_of
from protocol.messages.find_coordinator import FindCoordinatorRequest

_GROUP_KEY_TYPE = 0

# Returns the distinct ids of one kind in a request.
IdsOf = Callable[[Any], Collection[str]]


def groups_of(cls: Any) -> IdsOf:
    """Returns the ids of groups in requests of the class."""
    if cls is FindCoordinatorRequest:
        return lambda body: _keys(body) if body.key_type == _GROUP_KEY_TYPE else ()
    return _ids_of(named_fields(cls).groups)


def transactional_ids_of(cls: Any) -> IdsOf:
    """Returns the transactional ids in requests of the class."""
    if cls is FindCoordinatorRequest:
        return lambda body: _keys(body) if body.key_type != _GROUP_KEY_TYPE else ()
    return _ids_of(named_fields(cls).transactional_ids)


def _keys(body: FindCoordinatorRequest) -> set[str]:
    return {body.key, *body.coordinator_keys}


def _ids_of(fields: tuple[NameField, ...]) -> IdsOf:
    if len(fields) != 1 or fields[0].outer:
        return lambda body: {value for each in fields for value in values_of(each, body)}
    id_of = attrgetter(fields[0].field)

    def one(body: Any) -> Collection[str]:
        value = id_of(body)
        return (value,) if isinstance(value, str) else set(value or ())

    return one
