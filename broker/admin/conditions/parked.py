"""Waiting until requests are parked."""

from __future__ import annotations

from dataclasses import replace

from broker.admin.conditions.condition import Finding, some
from broker.admin.facts.facts import LIMIT_MAX, Facts, RequestQuery
from broker.admin.facts.json_object import JsonObject
from broker.admin.parameters import read_filter
from broker.admin.query import Query
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Parked:
    """At least ``query.limit`` requests are parked."""

    query: RequestQuery

    def check(self, facts: Facts) -> Finding:
        """Count the parked requests that match."""
        found, query = facts.requests(self.query), self.query
        if len(found) >= query.limit:
            return {"requests": found}, []
        topic = f" on {query.topic}" if query.topic else ""
        client = f" from client {query.client}" if query.client else ""
        what = f"{query.api or 'requests'}{topic}{client}"
        return {}, [f"{len(found)} of {query.limit} parked {what}"]

    def alternatives(self, facts: Facts) -> list[str]:
        """All parked requests."""
        parked = facts.requests(RequestQuery(parked=True, limit=LIMIT_MAX))
        return [_format_request(each) for each in parked] or ["no parked request"]


def read_parked(query: Query) -> Parked:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "api", "topic", "client", "followers", "count", "timeout_ms")
    count = query.whole("count", 1, LIMIT_MAX) or 1
    return Parked(replace(read_filter(query), parked=True, limit=count))


def _format_request(request: JsonObject) -> str:
    partitions = some([f"{each['topic']}-{each['partition']}" for each in request["partitions"]])
    on = f" on {partitions}" if partitions else ""
    return f"{request['api']}{on} from client {request['client_id']}"
