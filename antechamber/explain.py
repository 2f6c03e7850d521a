"""Explains in English why a request took as long as it did, from its wait record alone.

    Fetch 12 of client reader requested at least 1,000 bytes from node 1 (orders-0 from offset 42),
    found 312, waited 183 ms in the Fetch purgatory, was checked three times, and was completed by
    Produce 17 of client billing, which increased it to 1,204 bytes.

A record is a mapping with the fields of docs/reference/records.md. The record of a request that
is still waiting has the fields that are known so far, and ``remaining_ms``. The functions do
no I/O.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antechamber import awaited, durations, error_names, fault_phrases, phrases, throttles

Record = Mapping[str, Any]

_PHASES = (
    ("queued_us", "in the queue"),
    ("local_us", "in the handler"),
    ("parked_us", "waiting"),
    ("send_us", "sending the response"),
)


def explanation(record: Record) -> list[str]:
    """The sentences: what happened, the errors, and, if the request has ended, its phases."""
    request = f"{_identity(record)} {_requested(record)}"
    if "completed_by" not in record:
        waits = f"{request}{_found(record)}, and waits{_where(record)}{_so_far(record)}."
        return [waits, *fault_phrases.kept_waiting(record)]
    if record["purgatory"] is None:
        at_once = f"{request}, and {_immediately(record)}."
        return [at_once, *_circumstances(record), phases(record)]
    waited = _waits(record)
    checked = f", was checked {phrases.times(record['checks'])}" if record["checks"] else ""
    ended = f"{request}{_found(record)}{waited}{checked}, and {_ended(record)}."
    return [ended, *_errors(record), *_circumstances(record), phases(record)]


def _circumstances(record: Record) -> list[str]:
    """What else affected the request."""
    faults = [*fault_phrases.kept_waiting(record), *fault_phrases.fired(record)]
    return [*faults, *_throttled(record), *_stalled(record)]


def phases(record: Record) -> str:
    """The time that each phase took, in one sentence; phases of 0 µs are left out."""
    spent = [
        f"{durations.format_us(record[name])} {words}" for name, words in _PHASES if record[name]
    ]
    total = durations.format_us(record["total_us"])
    if not spent:
        return f"It took {total}."
    return f"It took {total} in total: {phrases.listed(spent)}."


# ----------------------------------------------------------------------------------- the request


def _identity(record: Record) -> str:
    client = f"{_client(record['client_id'])}{phrases.authenticated(record)}"
    return f"{record['api']} {record['correlation_id']} of {client}"


def _client(client_id: str | None) -> str:
    return f"client {client_id}" if client_id else "a client without an id"


def _requested(record: Record) -> str:
    node, api, partitions = f"node {record['node']}", record["api"], record["partitions"]
    waited_for = record["waited_for"] or {}
    if api == "Fetch":
        least = waited_for.get("need")
        amount = "data" if least is None else f"at least {phrases.counted(least, 'byte')}"
        starts = [f"{phrases.name(each)} from offset {each['offset']}" for each in partitions]
        return f"requested {amount} from {node}" + (f" ({phrases.some(starts)})" if starts else "")
    if api == "ShareFetch" and partitions:
        group = f" for group {waited_for['group']}" if waited_for.get("group") else ""
        names = phrases.some([phrases.name(each) for each in partitions])
        return f"requested records of {names}{group} from {node}"
    if api == "Produce" and partitions:
        return f"sent {phrases.some([_produced(each) for each in partitions])} to {node}"
    if api == "DeleteRecords" and partitions:
        below = [f"{phrases.name(each)} below offset {each['offset']}" for each in partitions]
        return f"requested the deletion of {phrases.some(below)} on {node}"
    group = f" for group {waited_for['group']}" if waited_for.get("group") else ""
    return f"was sent to {node}{group}"


def _produced(partition: Mapping[str, Any]) -> str:
    count = partition.get("records")
    if count is None and "needed_offset" in partition:  # it is still waiting
        count = partition["needed_offset"] - partition["offset"]
    words = (
        f"{phrases.counted(count, 'record') if count else 'records'} for {phrases.name(partition)}"
    )
    appended = count and partition["offset"] >= 0
    return f"{words} at offset {partition['offset']}" if appended else words


def _found(record: Record) -> str:
    """The bytes available when the wait began or, of a request that is still waiting, now."""
    waited_for = record["waited_for"]
    if waited_for is None or waited_for["kind"] != "min_bytes" or _timed_out(record):
        return ""
    return f", {'found' if 'completed_by' in record else 'has'} {waited_for['had']:,}"


def _waits(record: Record) -> str:
    """The waits of a request that has ended, each with its duration."""
    earlier: Sequence[Record] = record.get("earlier_waits") or ()
    last_us = record["parked_us"] - sum(wait["parked_us"] for wait in earlier)
    waits = [{**record, **wait} for wait in earlier] + [{**record, "parked_us": last_us}]
    waited = [f"waited {durations.format_us(wait['parked_us'])}{_where(wait)}" for wait in waits]
    return f", {', then '.join(waited)}"


def _where(record: Record) -> str:
    purgatory, waited_for = record["purgatory"], record["waited_for"]
    if not purgatory:
        return ""
    if fault_phrases.is_held(record):
        return f" because {fault_phrases.holds(record)}"
    condition = awaited.condition(record)
    if waited_for is not None and waited_for["kind"] == "transaction_coordinator":
        return condition  # the response of another node, for which no operation is delayed
    return f" in the {purgatory} purgatory{condition}"


# -------------------------------------------------------------------------------- the completion


def _so_far(record: Record) -> str:
    so_far = f", {durations.format_us(record['parked_us'])} so far"
    remaining_ms = record.get("remaining_ms")
    if remaining_ms is None:
        return so_far
    return f"{so_far} and {durations.format_us(max(remaining_ms, 0) * 1000)} more at most"


def _immediately(record: Record) -> str:
    failed = [each for each in record["partitions"] if each["error"]]
    if record["error"]:
        return f"was rejected immediately with {error_names.format_code(record['error'])}"
    if failed:
        return f"was completed immediately with {phrases.some([_error(each) for each in failed])}"
    if record["completed_by"]["cause"] in _GONE:
        return _GONE[record["completed_by"]["cause"]]
    if record["api"] == "Fetch" and record["partitions"]:
        return f"got {phrases.counted(_bytes(record), 'byte')} immediately"
    return "was completed immediately"


def _ended(record: Record) -> str:
    by = record["completed_by"]
    cause = by["cause"]
    if cause in _GONE:
        return _GONE[cause]
    if cause == "timeout":
        return _missing(record)
    if cause == "leadership":
        where = f" of {phrases.name(by)}" if "topic" in by else ""
        return f"was completed because the leadership{where} changed{_by_request(by)}"
    if cause == "deleted":
        return f"was completed because {phrases.name(by)} was deleted{_by_request(by)}"
    if cause == "rule_removed":
        return "was completed when the rule was removed"
    if cause == "applied":
        return "was completed when every node had applied it"
    if cause == "transaction":
        return f"was completed by {_transaction_end(by)}"
    if (
        cause == "high_watermark"
        and record["api"] != "Fetch"
        and not {"request", "replica"} & set(by)
    ):
        # At a leader, only this advances it without a fetch or an append.
        name = phrases.name(by)
        if fault_phrases.ended_hold(record):
            return f"was completed when the high watermark of {name} was no longer held"
        return f"was completed because the in-sync replicas of {name} changed{_caused(record)}"
    return f"was completed by {_completer(by)}{_caused(record)}"


_GONE = {
    "disconnect": "was abandoned: its client disconnected",
    "shutdown": "got no response: its node stopped",
    "error": "got no response: its connection was closed because of an error",
}


def _completer(by: Mapping[str, Any]) -> str:
    request = by.get("request")
    if request is not None:
        replica = by.get("replica")
        whose = _client(request["client_id"]) if replica is None else f"node {replica}"
        return f"{request['api']} {request['correlation_id']} of {whose}"
    words = {
        "append": "an append to",
        "high_watermark": "a new high watermark of",
        "flush": "the flush of",
        "coordinator": "the response of the coordinator of",
        "lock_expired": "the expiry of a lock on records of",
        "share_session": "the end of a session that had records of",
        "acknowledgement": "an acknowledgement of records of",
    }
    what = words.get(by["cause"], f"{by['cause'].replace('_', ' ')} of")
    return f"{what} {phrases.name(by)}" if "topic" in by else what.rpartition(" ")[0]


def _transaction_end(by: Mapping[str, Any]) -> str:
    transaction = by["transaction"]
    whose = f"the {transaction['outcome']} of the transaction of {awaited.producer(transaction)}"
    held = durations.format_us(transaction["held_ms"] * 1000)
    marker = ""
    if by.get("request") is not None:
        verb = "wrote" if by.get("replica") is None else "replicated"
        marker = f" when {_completer(by)} {verb} its marker"
    return (
        f"{whose} in {phrases.name(by)}{marker}; it had held back the last stable offset for {held}"
    )


def _by_request(by: Mapping[str, Any]) -> str:
    return f" by {_completer(by)}" if by.get("request") is not None else ""


def _caused(record: Record) -> str:
    """The effect of the completing event on what the request waited for."""
    by, waited_for = record["completed_by"], record["waited_for"]
    kind = None if waited_for is None else waited_for["kind"]
    if kind == "min_bytes":
        return f", which increased it to {phrases.counted(_bytes(record), 'byte')}"
    if kind == "high_watermark" and by.get("offset") is not None:
        return f", which advanced the high watermark of {phrases.name(by)} to {by['offset']}"
    return ""


# What these have is not counted in the unit of what they need.
_IN_WORDS = ("transaction", "share_records")


def _missing(record: Record) -> str:
    """A timeout, and what was missing when it expired."""
    limit_ms, waited_for = record["timeout_ms"], record["waited_for"]
    if record["purgatory"] == "Rebalance":
        return "was completed when the time for the members of its group to join expired"
    if record["purgatory"] in ("FailedAuthentication", "Fault"):
        return f"was completed after {limit_ms:,} ms"
    words = "timed out" if limit_ms is None else f"timed out after {limit_ms:,} ms"
    if waited_for is None or "need" not in waited_for or waited_for["kind"] in _IN_WORDS:
        return words
    missing, had = waited_for["need"] - waited_for["had"], waited_for["had"]
    if waited_for["kind"] == "min_bytes":
        available = f"{phrases.counted(had, 'byte')} {phrases.were(had)} available"
        return f"{words}: {available}, {missing:,} {phrases.were(missing)} missing"
    if waited_for["kind"] == "markers":
        return f"{words}: {missing:,} {phrases.were(missing)} missing"
    name = waited_for["kind"].replace("_", " ")
    return f"{words}: the {name} of {phrases.name(waited_for)} was {had} of {waited_for['need']}"


def _throttled(record: Record) -> list[str]:
    """The quotas that its client has exceeded, by an earlier request and by this one."""
    sentences = []
    if (muted_by := record.get("muted_by")) is not None:
        ms = durations.format_us(muted_by["ms"] * 1000)
        met = "met" if throttles.is_fault(muted_by) else "exceeded"
        why = f"an earlier request had {met} {throttles.exceeded(muted_by)}"
        sentences.append(f"It was queued because its connection was muted for {ms}: {why}.")
    if (throttle := record.get("throttle")) is not None:
        ms = durations.format_us(throttle["ms"] * 1000)
        met = "met" if throttles.is_fault(throttle) else "exceeded"
        why = f"{met} {throttles.exceeded(throttle)}"
        sentences.append(f"It has {why}. Its connection was muted for {ms}.")
    return sentences


def _stalled(record: Record) -> list[str]:
    """The long step of the broker's event loop that delayed the request, if there was one."""
    step = record.get("stalled_by")
    if step is None:
        return []
    whose = "" if step["api"] is None else f" of {_identity(step)}"
    return [f"It was delayed by a step{whose} that took {durations.format_us(step['ms'] * 1000)}."]


def _errors(record: Record) -> list[str]:
    """The errors in the response of a request that waited."""
    failed = [_error(each) for each in record["partitions"] if each.get("error")]
    if failed:
        return [f"The response has {phrases.some(failed)}."]
    if record["error"]:
        return [f"The response has {error_names.format_code(record['error'])}."]
    return []


def _error(partition: Mapping[str, Any]) -> str:
    return f"{error_names.format_code(partition['error'])} for {phrases.name(partition)}"


def _timed_out(record: Record) -> bool:
    """Whether it timed out; `_missing` reports the available bytes then."""
    return bool(record.get("completed_by", {}).get("cause") == "timeout")


def _bytes(record: Record) -> int:
    return sum(each["bytes"] for each in record["partitions"])
