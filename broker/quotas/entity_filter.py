"""Filters entities for DescribeClientQuotas (Kafka's ``ClientQuotasImage.describe``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

from broker.common.errors import ApiError
from broker.quotas.entity import CLIENT_ID, IP, TYPES, USER, Entity
from protocol.errors import ErrorCode


class MatchType(IntEnum):
    """Which names of a type match (``DescribeClientQuotasRequest.MATCH_TYPE_*``)."""

    EXACT = 0
    DEFAULT = 1
    SPECIFIED = 2


class Component(NamedTuple):
    """A type that entities must have, and the names that match."""

    entity_type: str
    match_type: int
    match: str | None


def matching(
    entities: Iterable[Entity], components: Iterable[Component], *, strict: bool
) -> Iterator[Entity]:
    """The entities that match all *components* and, if *strict*, have no other type.

    Raises `ApiError`: INVALID_REQUEST, or UNSUPPORTED_VERSION for an unknown type.
    """
    wanted = _checked(components)
    for entity in entities:
        names = dict(entity)
        if strict and names.keys() != wanted.keys():
            continue
        if all(
            kind in names and (each.match_type == MatchType.SPECIFIED or names[kind] == each.match)
            for kind, each in wanted.items()
        ):
            yield entity


def _checked(components: Iterable[Component]) -> dict[str, Component]:
    wanted: dict[str, Component] = {}
    for each in components:
        if not each.entity_type:
            raise _invalid("Invalid empty entity type.")
        if each.entity_type in wanted:
            raise _invalid(
                f"Entity type {each.entity_type} cannot appear more than once in the filter."
            )
        if each.entity_type not in TYPES:
            raise ApiError(
                ErrorCode.UNSUPPORTED_VERSION, f"Unsupported entity type {each.entity_type}"
            )
        _check_match(each)
        wanted[each.entity_type] = each
    if IP in wanted and wanted.keys() & {USER, CLIENT_ID}:
        raise _invalid(
            "Invalid entity filter component combination. IP filter component should not be used "
            "with user or clientId filter component."
        )
    return wanted


def _check_match(component: Component) -> None:
    try:
        kind = MatchType(component.match_type)
    except ValueError:
        raise _invalid(f"Unknown match type {component.match_type}") from None
    if kind is MatchType.EXACT:
        if component.match is None:
            raise _invalid("Request specified MATCH_TYPE_EXACT, but set match string to null.")
    elif component.match is not None:
        raise _invalid(
            f"Request specified MATCH_TYPE_{kind.name}, but also specified a match string."
        )


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
