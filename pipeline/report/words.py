"""Words for numbers on the page: lengths of time, moments, and the names of causes."""

from __future__ import annotations

from datetime import datetime

from pipeline.computation.roles import FOLLOWER, IDLE_POLL

NO_NAME = "(no name)"
# The kinds of causes in the order of the legend, each with what it is called.
KINDS = {
    "replica": "replica",
    "client": "client",
    "member": "group member",
    "transaction": "transaction",
    "node": "node",
    "rule": "fault rule",
    "other": "other",
    "queue": "queue of the connection",
}
_ROLES = {FOLLOWER: "followers", IDLE_POLL: "idle long polls"}


def span(us: float) -> str:
    """A length of time with its unit: ``412 µs``, ``3.1 ms``, ``2.4 s``, ``3.1 min``."""
    if us < 1000:
        return f"{us:.0f} µs"
    for unit, length, least in (("h", 3.6e9, 3.6e9), ("min", 6e7, 1.2e8), ("s", 1e6, 1e6)):
        if us >= least:
            return f"{_short(us / length)} {unit}"
    return f"{_short(us / 1000)} ms"


def milliseconds(us: float) -> str:
    """The number of milliseconds, without the unit."""
    ms = us / 1000
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}"


def clock(moment: datetime) -> str:
    """The time of day, in UTC."""
    return moment.strftime("%H:%M:%S")


def more(count: int, noun: str, shown: str = "in the table blame") -> str:
    """How many are not shown, and where they are: ``2 more causes are in the table blame``."""
    return f"1 more {noun} is {shown}." if count == 1 else f"{count} more {noun}s are {shown}."


def series(api: str, role: str | None) -> str:
    """The name of the requests of an API in one role."""
    words = _ROLES.get(role or "")
    return f"{api}, {words}" if words else api


def cause(kind: str, name: str | None, detail: str | None) -> str:
    """What caused a wait: ``replica 3 (paused)``."""
    what = KINDS.get(kind, kind)
    if kind == "queue":
        return f"queue of client {NO_NAME if name is None else name}"
    if kind == "other":
        return (name or "unknown").replace("_", " ")
    if kind == "member" and name is None:
        named = "group members"
    elif kind == "replica" and name is not None and "," in name:
        named = f"replicas {name}"
    else:
        named = f"{what} {NO_NAME if name is None else name}"
    return f"{named} ({detail})" if detail else named


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
