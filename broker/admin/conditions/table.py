"""The conditions by the name that ``GET /v1/wait?for=`` gives them."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from broker.admin.conditions.condition import Condition
from broker.admin.conditions.groups import read_group_stable
from broker.admin.conditions.parked import read_parked
from broker.admin.conditions.partitions import read_high_watermark, read_in_sync
from broker.admin.http import HttpError
from broker.admin.query import Query

CONDITIONS: dict[str, Callable[[Query], Condition]] = {
    "parked": read_parked,
    "hw": read_high_watermark,
    "isr": read_in_sync,
    "group_stable": read_group_stable,
}


def read_condition(query: Query) -> Condition:
    """The condition that the parameters describe; raises `HttpError`."""
    name = query.choice("for", CONDITIONS)
    if name is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, f"for: give one of {', '.join(CONDITIONS)}")
    return CONDITIONS[name](query)
