"""Words for the end of a wait: what completed the request. Records are those of `explain`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antechamber.sentences import awaited, durations, fault_phrases, phrases

Record = Mapping[str, Any]

# By cause: the request got no response.
GONE = {
    "disconnect": "was abandoned: its client disconnected",
    "shutdown": "got no response: its node stopped",
    "error": "got no response: its connection was closed because of an error",
}
# By cause: what completes a request, before the name of a partition.
_EVENTS = {
    "append": "an append to",
    "high_watermark": "a new high watermark of",
    "flush": "the flush of",
    "coordinator": "the response of the coordinator of",
    "lock_expired": "the expiry of a lock on records of",
    "share_session": "the end of a session that had records of",
    "share_fetch": "the end of another share fetch of",
    "acknowledgement": "an acknowledgement of records of",
}
# Purgatories in which a request waits until a delay is over.
_DELAYING = ("FailedAuthentication", "Fault", "ShareSessionLimit")
# Conditions whose present state and goal have different units.
_IN_WORDS = ("transaction", "share_records")


def ended(record: Record) -> str:
    """How the wait ended: ``was completed by Produce 17 of client billing``."""
    by = record.get("completed_by") or {}
    cause = by.get("cause")
    if cause in GONE:
        return GONE[cause]
    if cause == "timeout":
        return _missing(record)
    if cause is None or cause == "unknown":
        return "was completed by an unknown cause"
    if cause == "leadership":
        where = f" of {phrases.name(by)}" if by.get("topic") is not None else ""
        return f"was completed because the leadership{where} changed{_by_request(by)}"
    if cause == "deleted":
        return f"was completed because {phrases.name(by)} was deleted{_by_request(by)}"
    if cause == "rule_removed":
        return "was completed when the rule was removed"
    if cause == "applied":
        return "was completed when every node had applied it"
    if cause == "transaction":
        return f"was completed by {_transaction_end(by)}"
    if cause == "high_watermark" and record["api"] != "Fetch" and not _has_completer(by):
        return _advanced_alone(record, by)
    return f"was completed by {_completer(by)}{_caused(record)}"


def size(record: Record) -> int:
    """The bytes of all partitions in the response."""
    return sum(each.get("bytes") or 0 for each in record.get("partitions") or ())


def _advanced_alone(record: Record, by: Record) -> str:
    """At a leader, only the in-sync set advances the high watermark without a request."""
    if fault_phrases.ended_hold(record):
        return f"was completed when the high watermark of {phrases.name(by)} was no longer held"
    replicas = f"the in-sync replicas of {phrases.name(by)}"
    return f"was completed because {replicas} changed{_caused(record)}"


def _has_completer(by: Record) -> bool:
    return by.get("request") is not None or by.get("replica") is not None


def _completer(by: Record) -> str:
    request, replica = by.get("request"), by.get("replica")
    if request is not None and request.get("api") is not None:
        number = request.get("correlation_id")
        name = request["api"] if number is None else f"{request['api']} {number}"
        whose = phrases.client(request.get("client_id")) if replica is None else f"node {replica}"
        return f"{name} of {whose}"
    if by.get("lock") is not None:
        return _expired_lock(by)
    words = _EVENTS.get(by["cause"], f"{by['cause'].replace('_', ' ')} of")
    if by.get("topic") is None:
        return words.rpartition(" ")[0]
    return f"{words} {phrases.name(by)}"


def _expired_lock(by: Record) -> str:
    """The member, the records and the number of their deliveries."""
    lock = by["lock"]
    records = f"{awaited.offsets(lock)} of {phrases.name(by)}"
    count = lock.get("delivery_count")
    delivered = "" if count is None else f", delivered {phrases.times(count)}"
    return f"the expiry of the lock of {awaited.member(lock)} on {records}{delivered}"


def _transaction_end(by: Record) -> str:
    transaction = by.get("transaction") or {}
    whose = f"the transaction of {awaited.producer(transaction)}"
    held_ms, marker, held = transaction.get("held_ms"), "", ""
    if by.get("request") is not None:
        verb = "wrote" if by.get("replica") is None else "replicated"
        marker = f" when {_completer(by)} {verb} its marker"
    if held_ms is not None:
        lasted = durations.format_us(held_ms * 1000)
        held = f"; it had held back the last stable offset for {lasted}"
    outcome = transaction.get("outcome") or "end"
    return f"the {outcome} of {whose} in {phrases.name(by)}{marker}{held}"


def _by_request(by: Record) -> str:
    return f" by {_completer(by)}" if by.get("request") is not None else ""


def _caused(record: Record) -> str:
    """The effect of the completing event on what the request waited for."""
    by, kind = record["completed_by"], (record.get("waited_for") or {}).get("kind")
    if kind == "min_bytes":
        return _increased(record)
    if kind == "high_watermark" and by.get("offset") is not None:
        return f", which advanced the high watermark of {phrases.name(by)} to {by['offset']}"
    return ""


def _increased(record: Record) -> str:
    """The bytes of a fetch; without enough of them, an error or a new segment ended its wait."""
    waited_for, by, found = record["waited_for"], record["completed_by"], size(record)
    if any(each.get("error") for each in record.get("partitions") or ()):
        return ", because a partition could not be read"
    if (base := by.get("segment")) is not None:
        return f", because {phrases.name(by)} continues in another segment, from offset {base} on"
    if found < (waited_for.get("need") or 0) or found <= (waited_for.get("had") or 0):
        return ""
    return f", which increased it to {phrases.counted(found, 'byte')}"


def _missing(record: Record) -> str:
    """A timeout, and what was missing when it expired."""
    limit_ms, waited_for = record.get("timeout_ms"), record.get("waited_for") or {}
    if record["purgatory"] == "Rebalance":
        return "was completed when the time for the members of its group to join expired"
    if record["purgatory"] in _DELAYING and limit_ms is not None:
        return f"was completed after {limit_ms:,} ms"
    words = "timed out" if limit_ms is None else f"timed out after {limit_ms:,} ms"
    kind, need, had = (waited_for.get(name) for name in ("kind", "need", "had"))
    if kind is None or need is None or had is None or kind in _IN_WORDS:
        return words
    missing = need - had
    if kind == "min_bytes":
        available = f"{phrases.counted(had, 'byte')} {phrases.were(had)} available"
        return f"{words}: {available}, {missing:,} {phrases.were(missing)} missing"
    if kind == "markers":
        return f"{words}: {missing:,} {phrases.were(missing)} missing"
    name = kind.replace("_", " ")
    return f"{words}: the {name} of {phrases.name(waited_for)} was {had} of {need}"
