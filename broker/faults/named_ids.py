"""Reads the groups and the transactional ids that a decoded request names."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from operator import attrgetter
from typing import Any

from broker.faults.named_fields import NameField, named_fields, values_of
from protocol.messages.find_coordinator import FindCoordinatorRequest

_GROUP_KEY_TYPE = 0

# An id or ids of one kind in a request, or nothing.
Ids = str | Collection[str] | None
IdsOf = Callable[[Any], Ids]


@cache
def groups_of(cls: Any) -> IdsOf:
    """Returns the ids of groups in requests of the class."""
    if cls is FindCoordinatorRequest:
        return lambda body: _keys(body) if body.key_type == _GROUP_KEY_TYPE else None
    return _ids_of(named_fields(cls).groups)


@cache
def transactional_ids_of(cls: Any) -> IdsOf:
    """Returns the transactional ids in requests of the class."""
    if cls is FindCoordinatorRequest:
        return lambda body: _keys(body) if body.key_type != _GROUP_KEY_TYPE else None
    return _ids_of(named_fields(cls).transactional_ids)


def _keys(body: FindCoordinatorRequest) -> Ids:
    """The keys of version 4 and later, or the one of earlier versions."""
    return body.coordinator_keys or body.key


def has_id(ids: Ids, wanted: str) -> bool:
    """Whether *wanted* is one of them."""
    return ids == wanted if ids is None or isinstance(ids, str) else wanted in ids


def _ids_of(fields: tuple[NameField, ...]) -> IdsOf:
    if len(fields) == 1 and not fields[0].outer:
        return attrgetter(fields[0].field)
    return lambda body: {value for each in fields for value in values_of(each, body)}
