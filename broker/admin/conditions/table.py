"""The conditions by the name that ``GET /v1/wait?for=`` gives them."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from broker.admin.conditions.clients import read_client_connected, read_client_gone
from broker.admin.conditions.committed import read_committed
from broker.admin.conditions.condition import Condition
from broker.admin.conditions.faults import read_fault_fired
from broker.admin.conditions.groups import read_assigned, read_group_stable
from broker.admin.conditions.parked import read_parked
from broker.admin.conditions.partitions import (
    read_high_watermark,
    read_in_sync,
    read_stable_offset,
)
from broker.admin.conditions.requests import read_requests_begun
from broker.admin.conditions.share_groups import read_share_acquired, read_share_lag
from broker.admin.conditions.topics import read_topic, read_topic_deleted
from broker.admin.http import HttpError
from broker.admin.query import Query

CONDITIONS: dict[str, Callable[[Query], Condition]] = {
    "parked": read_parked,
    "requests": read_requests_begun,
    "hw": read_high_watermark,
    "lso": read_stable_offset,
    "isr": read_in_sync,
    "topic": read_topic,
    "topic_deleted": read_topic_deleted,
    "group_stable": read_group_stable,
    "assigned": read_assigned,
    "committed": read_committed,
    "share_acquired": read_share_acquired,
    "share_lag": read_share_lag,
    "client_connected": read_client_connected,
    "client_gone": read_client_gone,
    "fault_fired": read_fault_fired,
}


def read_condition(query: Query) -> Condition:
    """The condition that the parameters describe; raises `HttpError`."""
    name = query.choice("for", CONDITIONS)
    if name is None:
        raise HttpError(HTTPStatus.BAD_REQUEST, f"for: give one of {', '.join(CONDITIONS)}")
    return CONDITIONS[name](query)
