"""`blame`: what caused the waits, and how long they were."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from integration.pipeline.reference.record import Record, Row, is_parked, last_wait_us, window
from integration.pipeline.reference.roles import is_follower, is_idle, role

KEY = ("window", "kind", "name", "detail", "api")
NODE = re.compile(r"(?:node|broker)-([0-9]+)")


class Cause(NamedTuple):
    """What a wait is attributed to."""

    kind: str
    name: str | None
    detail: str | None = None


def blame(records: Iterable[Record], window_s: int) -> list[Row]:
    """The rows of the table."""
    found: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for record in records:
        begin = window(record["arrived_us"], window_s)
        for cause, us in _causes(record):
            found[(begin, *cause, record["api"])].append(us)
    return [
        {
            **dict(zip(KEY, key, strict=True)),
            "waits": len(times),
            "waited_us": sum(times),
            "longest_us": max(times),
        }
        for key, times in found.items()
    ]


def steps(record: Record) -> list[Row]:
    """The waits of a record as `top_waits` has them."""
    return [
        {
            "us": us,
            "purgatory": wait.get("purgatory"),
            "kind": (wait.get("waited_for") or {}).get("kind"),
            "ended_by": (wait.get("completed_by") or {}).get("cause"),
            "blamed": blamed(record, wait)._asdict(),
        }
        for wait, us in _waits(record)
    ]


def _waits(record: Record) -> Iterator[tuple[Record, int]]:
    for wait in record.get("earlier_waits") or []:
        yield wait, wait.get("parked_us") or 0
    if is_parked(record):
        yield record, last_wait_us(record)


def _causes(record: Record) -> Iterator[tuple[Cause, int]]:
    for wait, us in _waits(record):
        yield blamed(record, wait), us
    if record["queued_us"] > 0:
        yield _queued(record), record["queued_us"]
    stalled = record.get("stalled_by") or {}
    if (stalled.get("ms") or 0) > 0:
        yield _stalled(stalled.get("client_id")), stalled["ms"] * 1000
    waits = [record, *(record.get("earlier_waits") or [])]
    held = any((wait.get("waited_for") or {}).get("kind") == "fault" for wait in waits)
    if record.get("fault") is not None and not held:
        yield _rule(record["fault"], "action"), 0


def _stalled(client_id: str | None) -> Cause:
    what = "long step of the event loop"
    return Cause("other", what) if client_id is None else Cause("client", client_id, what)


def _queued(record: Record) -> Cause:
    quota = record.get("muted_by")
    if quota is None:
        return Cause("queue", record.get("client_id"))
    names = (quota.get("client_id"), quota.get("user"), record.get("client_id"))
    return Cause("client", next((n for n in names if n is not None), None), quota.get("quota"))


def _rule(rule: Record, what: str) -> Cause:
    name, number = rule.get("name"), rule.get("rule")
    if name is None and number is not None:
        name = f"rule {number}"
    return Cause("rule", name, rule.get(what))


def blamed(record: Record, wait: Record) -> Cause:
    """The cause of a wait of *record*."""
    waited_for, by = wait.get("waited_for") or {}, wait.get("completed_by") or {}
    kind = waited_for.get("kind")
    if kind == "fault":
        return _rule(waited_for, "effect")
    if waited_for.get("faults"):
        return _rule(waited_for["faults"][0], "action")
    if is_idle(wait, is_last=wait is record) or (is_follower(record) and kind == "min_bytes"):
        return Cause("idle", None, role(record))
    return _of_kind(record, waited_for, by) or _of_nodes(waited_for, by) or _unknown(wait)


def _of_kind(record: Record, waited_for: Record, by: Record) -> Cause | None:
    """The cause that the kind of the condition implies."""
    kind = waited_for.get("kind")
    if kind == "transaction":
        return _transaction(waited_for.get("transaction") or {})
    if kind == "members" and by.get("cause") != "high_watermark":
        return Cause("member", (by.get("request") or {}).get("client_id"), waited_for.get("group"))
    if kind == "share_records":
        return Cause("member", waited_for.get("member"), waited_for.get("group"))
    if kind in ("min_bytes", "failed_authentication"):
        detail = "fetch.min.bytes" if kind == "min_bytes" else "failed login"
        return Cause("client", record.get("client_id"), detail)
    if kind == "transaction_coordinator":
        node = waited_for.get("node")
        return Cause("node", None if node is None else str(node), "transaction coordinator")
    if kind == "applied":
        return Cause("node", _listed(waited_for.get("nodes") or []), "change of the cluster")
    return None


def _of_nodes(waited_for: Record, by: Record) -> Cause | None:
    """The replica that ended the wait, or those that the wait was for."""
    replica = _replica(by)
    if replica is not None:
        return Cause("replica", replica, _state(waited_for, replica))
    if waited_for.get("behind"):
        return Cause("replica", _behind(waited_for), _states(waited_for))
    return None


def _unknown(wait: Record) -> Cause:
    kind = (wait.get("waited_for") or {}).get("kind")
    return Cause("other", wait.get("purgatory") if kind is None else kind)


def _transaction(transaction: Record) -> Cause:
    name, producer = transaction.get("transactional_id"), transaction.get("producer_id")
    if name is None and producer is not None:
        name = f"producer {producer}"
    return Cause("transaction", name, transaction.get("state"))


def _replica(by: Record) -> str | None:
    """The node whose fetch ended a wait."""
    if by.get("replica") is not None:
        return str(by["replica"])
    request = by.get("request") or {}
    if by.get("cause") != "high_watermark" or request.get("api") != "Fetch":
        return None
    found = NODE.match(request.get("client_id") or "")
    return found[1] if found else None


def _behind(waited_for: Record) -> str | None:
    states = waited_for.get("behind_states") or []
    behind = waited_for["behind"]
    stopped = [n for n, state in zip(behind, states, strict=False) if state != "running"]
    return _listed(stopped or behind)


def _state(waited_for: Record, replica: str) -> str | None:
    """The state of a replica during the wait; None if it runs or is not known."""
    states = waited_for.get("behind_states") or []
    behind = map(str, waited_for.get("behind") or [])
    state = dict(zip(behind, states, strict=False)).get(replica)
    return None if state == "running" else state


def _states(waited_for: Record) -> str | None:
    return _listed(
        dict.fromkeys(s for s in waited_for.get("behind_states") or [] if s != "running")
    )


def _listed(values: Iterable[object]) -> str | None:
    return ", ".join(map(str, values)) or None
