"""The paths of work on topics and partitions: compact, roll, expire, elect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from broker.admin.facts.partition_work import PartitionWork
from broker.admin.http import HttpError
from broker.admin.routes import Call, Handler, Routes

_INT_MAX = 2**31 - 1

Work = Callable[[str, int | None], Awaitable[object]]


def maintenance_routes(work: PartitionWork) -> Routes:
    """The table of paths: of one partition, and of all partitions of a topic."""

    async def elect(call: Call) -> object:
        call.query.allow("leader", "unclean")
        leader, unclean = call.query.whole("leader", 0, _INT_MAX), call.query.flag("unclean")
        if leader is not None and unclean:
            raise HttpError(
                HTTPStatus.BAD_REQUEST, "unclean: not with leader, which must be a replica in sync"
            )
        return await work.elect(call.path["topic"], _partition(call), leader, unclean=unclean)

    handlers: dict[str, Handler] = {
        "compact": _on_logs(work.compact),
        "roll": _on_logs(work.roll),
        "expire": _on_logs(work.expire),
        "elect": elect,
    }
    return {
        f"/v1/topics/{{topic}}{of_partition}/{name}": {"POST": handler}
        for of_partition in ("", "/partitions/{partition}")
        for name, handler in handlers.items()
    }


def _on_logs(work: Work) -> Handler:
    async def handle(call: Call) -> object:
        call.query.allow()
        return await work(call.path["topic"], _partition(call))

    return handle


def _partition(call: Call) -> int | None:
    """The partition in the path; None if the path is that of a topic."""
    text = call.path.get("partition")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 11 and int(text) <= _INT_MAX):
        raise HttpError(HTTPStatus.NOT_FOUND, f"{text!r} is not the number of a partition")
    return int(text)
