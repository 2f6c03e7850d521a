"""The paths about clients: their groups, sessions and connections, and marks of requests."""

from __future__ import annotations

from broker.admin.facts.facts import LIMIT_DEFAULT, LIMIT_MAX, Facts
from broker.admin.parameters import read_share_partitions
from broker.admin.query import Query
from broker.admin.routes import Call, Routes


def client_routes(facts: Facts) -> Routes:
    """Their handlers by path and method."""

    async def groups(call: Call) -> object:
        call.query.allow("group", "limit")
        return {"groups": facts.groups(call.query.text("group"), _limit(call.query))}

    async def sessions(call: Call) -> object:
        call.query.allow("group", "limit")
        return facts.sessions(call.query.text("group"), _limit(call.query))

    async def share_partitions(call: Call) -> object:
        return {"share_partitions": facts.share_partitions(read_share_partitions(call.query))}

    async def connections(call: Call) -> object:
        call.query.allow("client", "followers", "limit")
        client, followers = call.query.text("client"), call.query.flag("followers")
        return {"connections": facts.connections(client, followers, _limit(call.query))}

    async def mark(call: Call) -> object:
        call.query.allow()
        return {"mark": facts.mark()}

    return {
        "/v1/groups": {"GET": groups},
        "/v1/sessions": {"GET": sessions},
        "/v1/share_partitions": {"GET": share_partitions},
        "/v1/connections": {"GET": connections},
        "/v1/marks": {"POST": mark},
    }


def _limit(query: Query) -> int:
    return query.whole("limit", 1, LIMIT_MAX) or LIMIT_DEFAULT
