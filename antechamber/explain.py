"""Explains in English why a request took as long as it did, from its wait record alone.

    Fetch 12 of client reader requested at least 1,000 bytes from node 1 (orders-0 from offset 42),
    found 312, waited 183 ms in the Fetch purgatory, was checked three times, and was completed by
    Produce 17 of client billing, which increased it to 1,204 bytes.

A record is a mapping with the fields of docs/reference/records.md. The record of a request that
is still waiting has the fields that are known so far, and ``remaining_ms``. Only ``api`` is
required: what is null or missing, as in records of older brokers and of other writers, is left out
of the sentences. The functions do no I/O.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antechamber.sentences import (
    awaited,
    completion_phrases,
    durations,
    error_names,
    fault_phrases,
    phrases,
    request_phrases,
    throttles,
)

Record = Mapping[str, Any]

_PHASES = (
    ("queued_us", "in the queue"),
    ("local_us", "in the handler"),
    ("parked_us", "waiting"),
    ("send_us", "sending the response"),
)


def explanation(record: Record) -> list[str]:
    """The sentences: what happened, the errors, and, if the request has ended, its phases."""
    request = f"{request_phrases.identity(record)} {request_phrases.requested(record)}"
    if not _has_ended(record):
        waits = f"{request}{_found(record)}, and waits{_where(record)}{_so_far(record)}."
        return [waits, *fault_phrases.kept_waiting(record)]
    if record.get("purgatory") is None:
        at_once = f"{request}, and {_immediately(record)}."
        return [at_once, *_circumstances(record), phases(record)]
    checks = record.get("checks")
    checked = f", was checked {phrases.times(checks)}" if checks else ""
    ended = completion_phrases.ended(record)
    waited = f"{request}{_found(record)}{_waits(record)}{checked}, and {ended}."
    return [waited, *_errors(record), *_circumstances(record), phases(record)]


def phases(record: Record) -> str:
    """The time that each phase took, in one sentence; phases of 0 µs are left out."""
    spent = [
        f"{durations.format_us(record[name])} {words}"
        for name, words in _PHASES
        if record.get(name)
    ]
    total = durations.format_us(record.get("total_us") or 0)
    if not spent:
        return f"It took {total}."
    return f"It took {total} in total: {phrases.listed(spent)}."


def _has_ended(record: Record) -> bool:
    return record.get("completed_by") is not None or record.get("total_us") is not None


def _circumstances(record: Record) -> list[str]:
    """What else affected the request."""
    faults = [*fault_phrases.kept_waiting(record), *fault_phrases.fired(record)]
    return [
        *faults,
        *throttles.sentences(record),
        *_stalled(record),
        *_directed(record),
        *_unknown_topics(record),
    ]


# -------------------------------------------------------------------------------------- the wait


def _found(record: Record) -> str:
    """The bytes available when the wait began or, of a request that is still waiting, now."""
    waited_for = record.get("waited_for") or {}
    had = waited_for.get("had")
    # After a timeout, the words for its end have them.
    if waited_for.get("kind") != "min_bytes" or had is None or _cause(record) == "timeout":
        return ""
    return f", {'found' if _has_ended(record) else 'has'} {had:,}"


def _waits(record: Record) -> str:
    """The waits of a request that has ended, each with its duration."""
    earlier: Sequence[Record] = record.get("earlier_waits") or ()
    earlier_us = sum(wait.get("parked_us") or 0 for wait in earlier)
    last_us = max(0, (record.get("parked_us") or 0) - earlier_us)
    waits = [{**record, **_NO_WAIT, **wait} for wait in earlier]
    waits.append({**record, "parked_us": last_us})
    waited = [
        f"waited {durations.format_us(wait['parked_us'] or 0)}{_where(wait)}" for wait in waits
    ]
    return f", {', then '.join(waited)}"


# An earlier wait has these of its own.
_NO_WAIT: Record = {"parked_us": None, "purgatory": None, "waited_for": None, "timeout_ms": None}


def _where(record: Record) -> str:
    purgatory = record.get("purgatory")
    if not purgatory:
        return ""
    if fault_phrases.is_held(record):
        return f" because {fault_phrases.holds(record)}"
    condition = awaited.condition(record)
    if (record.get("waited_for") or {}).get("kind") == "transaction_coordinator":
        return condition  # the response of another node, for which no operation is delayed
    return f" in the {purgatory} purgatory{condition}"


def _so_far(record: Record) -> str:
    so_far = f", {durations.format_us(record.get('parked_us') or 0)} so far"
    remaining_ms = record.get("remaining_ms")
    if remaining_ms is None:
        return so_far
    return f"{so_far} and {durations.format_us(max(remaining_ms, 0) * 1000)} more at most"


# ----------------------------------------------------------------- without a wait, and the errors


def _immediately(record: Record) -> str:
    partitions = record.get("partitions") or ()
    failed = [each for each in partitions if each.get("error")]
    if record.get("error"):
        return f"was rejected immediately with {error_names.format_code(record['error'])}"
    if failed:
        return f"was completed immediately with {phrases.some([_error(each) for each in failed])}"
    if (gone := completion_phrases.GONE.get(_cause(record))) is not None:
        return gone
    if record["api"] == "Fetch" and partitions:
        return f"got {phrases.counted(completion_phrases.size(record), 'byte')} immediately"
    return "was completed immediately"


def _cause(record: Record) -> Any:
    return (record.get("completed_by") or {}).get("cause")


def _stalled(record: Record) -> list[str]:
    """The long step of the broker's event loop that delayed the request, if there was one."""
    step = record.get("stalled_by")
    if step is None:
        return []
    whose = "" if step.get("api") is None else f" for {request_phrases.identity(step)}"
    ms = step.get("ms")
    took = "" if ms is None else f" of {durations.format_us(ms * 1000)}"
    return [f"Before it was read or completed, a step{took}{whose} delayed it."]


def _unknown_topics(record: Record) -> list[str]:
    """The topics that a Metadata request named and that did not exist."""
    names: Sequence[str] = record.get("unknown_topics") or ()
    return [f"Topics that did not exist: {phrases.some([*names])}."] if names else []


def _directed(record: Record) -> list[str]:
    """The nodes that a Fetch directed its consumer to (KIP-392)."""
    nodes = [f"node {node}" for node in record.get("preferred_read_replicas") or ()]
    return (
        [f"The consumer was directed to replicas in its rack: {phrases.some(nodes)}."]
        if nodes
        else []
    )


def _errors(record: Record) -> list[str]:
    """The errors in the response of a request that waited."""
    failed = [_error(each) for each in record.get("partitions") or () if each.get("error")]
    if failed:
        return [f"The response has {phrases.some(failed)}."]
    if record.get("error"):
        return [f"The response has {error_names.format_code(record['error'])}."]
    return []


def _error(partition: Mapping[str, Any]) -> str:
    return f"{error_names.format_code(partition['error'])} for {phrases.name(partition)}"
