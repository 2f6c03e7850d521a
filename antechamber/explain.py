"""Explains in English why a request took as long as it did, from its wait record alone.

    Fetch 12 of client reader requested at least 1,000 bytes from node 1 (orders-0 from offset 42),
    found 312, waited 183 ms in the Fetch purgatory, was checked three times, and was completed by
    Produce 17 of client billing, which increased it to 1,204 bytes.

A record is a mapping with the fields of docs/reference/records.md. The record of a request that
is still waiting has the fields that are known so far, and ``remaining_ms``. The functions do
no I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from antechamber import durations, error_names, replicas

Record = Mapping[str, Any]

_TIMES = ("never", "once", "twice", "three times", "four times", "five times")
_PARTITIONS_MAX = 3
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
        return [f"{request}{_found(record)}, and waits{_where(record)}{_so_far(record)}."]
    if record["purgatory"] is None:
        return [f"{request}, and {_immediately(record)}.", *_stalled(record), phases(record)]
    waited = f", waited {durations.format_us(record['parked_us'])}{_where(record)}"
    checked = f", was checked {_times(record['checks'])}" if record["checks"] else ""
    ended = f"{request}{_found(record)}{waited}{checked}, and {_ended(record)}."
    return [ended, *_errors(record), *_stalled(record), phases(record)]


def phases(record: Record) -> str:
    """The time that each phase took, in one sentence; phases of 0 µs are left out."""
    spent = [
        f"{durations.format_us(record[name])} {words}" for name, words in _PHASES if record[name]
    ]
    total = durations.format_us(record["total_us"])
    if not spent:
        return f"It took {total}."
    return f"It took {total} in total: {_listed(spent)}."


# ----------------------------------------------------------------------------------- the request


def _identity(record: Record) -> str:
    return f"{record['api']} {record['correlation_id']} of {_client(record['client_id'])}"


def _client(client_id: str | None) -> str:
    return f"client {client_id}" if client_id else "a client without an id"


def _requested(record: Record) -> str:
    node, api, partitions = f"node {record['node']}", record["api"], record["partitions"]
    waited_for = record["waited_for"] or {}
    if api == "Fetch":
        least = waited_for.get("need")
        amount = "data" if least is None else f"at least {_count(least, 'byte')}"
        starts = [f"{_name(each)} from offset {each['offset']}" for each in partitions]
        return f"requested {amount} from {node}" + (f" ({_some(starts)})" if starts else "")
    if api == "Produce" and partitions:
        return f"sent {_some([_produced(each) for each in partitions])} to {node}"
    if api == "DeleteRecords" and partitions:
        below = [f"{_name(each)} below offset {each['offset']}" for each in partitions]
        return f"requested the deletion of {_some(below)} on {node}"
    group = f" for group {waited_for['group']}" if waited_for.get("group") else ""
    return f"was sent to {node}{group}"


def _produced(partition: Mapping[str, Any]) -> str:
    count = partition.get("records")
    if count is None and "needed_offset" in partition:  # it is still waiting
        count = partition["needed_offset"] - partition["offset"]
    words = f"{_count(count, 'record') if count else 'records'} for {_name(partition)}"
    appended = count and partition["offset"] >= 0
    return f"{words} at offset {partition['offset']}" if appended else words


def _found(record: Record) -> str:
    """The bytes available when the wait began or, of a request that is still waiting, now."""
    waited_for = record["waited_for"]
    if waited_for is None or waited_for["kind"] != "min_bytes" or _timed_out(record):
        return ""
    return f", {'found' if 'completed_by' in record else 'has'} {waited_for['had']:,}"


def _where(record: Record) -> str:
    purgatory = record["purgatory"]
    return f" in the {purgatory} purgatory{_condition(record)}" if purgatory else ""


def _condition(record: Record) -> str:
    """What the request waited for, except bytes, which `_found` and `_caused` report."""
    waited_for = record["waited_for"]
    if waited_for is None:
        return ""
    describe = _CONDITIONS.get(waited_for["kind"])
    return "" if describe is None else f" for {describe(record)}"


def _low_watermark(record: Record) -> str:
    waited_for = record["waited_for"]
    start = f"log start offset {waited_for['need']}"
    return f"every replica of {_name(waited_for)} to reach {start}"


def _stored(record: Record) -> str:
    what = "its offsets" if record["api"] == "OffsetCommit" else "the records of its group"
    return f"{what} to be stored"


def _markers(record: Record) -> str:
    waited_for = record["waited_for"]
    where = _count(waited_for["need"], "partition")
    transaction = waited_for.get("transaction")
    if transaction is None:
        return f"markers in {where}"
    return f"the {transaction['outcome']} of the transaction of {_producer(transaction)} in {where}"


def _held_back(record: Record) -> str:
    """The offset that cannot be read yet, and the transaction that is the reason."""
    waited_for = record["waited_for"]
    transaction = waited_for["transaction"]
    offset = f"offset {waited_for['offset']} of {_name(waited_for)}"
    held = durations.format_us(transaction["held_ms"] * 1000)
    if transaction["state"] == "open":
        whose = f"the open transaction of {_producer(transaction)}"
    else:
        whose = f"the transaction of {_producer(transaction)}, whose marker is not replicated,"
    return f"{offset}, held back by {whose} for {held}"


def _producer(transaction: Mapping[str, Any]) -> str:
    """The transactional id; without one, no coordinator knows the transaction."""
    name = transaction.get("transactional_id")
    if name is None:
        return f"producer id {transaction['producer_id']}, which no coordinator knows,"
    return f"producer {name}"


def _transaction_coordinator(record: Record) -> str:
    waited_for = record["waited_for"]
    node, transactional_id = waited_for["node"], waited_for["transactional_id"]
    where = "" if node is None else f", node {node}"
    return f"the coordinator of transactional id {transactional_id}{where}"


def _transaction_record(record: Record) -> str:
    transactional_id = record["waited_for"]["transactional_id"]
    if transactional_id is None:
        return "the records of its transactions to be replicated"
    return f"the record of transactional id {transactional_id} to be replicated"


def _replicas_behind(record: Record) -> str:
    """The replicas that were behind, or only the one that caught up last if it is known."""
    waited_for, need = record["waited_for"], record["waited_for"]["need"]
    if lacking := _lacking_now(record):
        return _listed(lacking)
    if not waited_for["behind"]:
        return f"the high watermark of {_name(waited_for)}, at {waited_for['had']} of {need}"
    unknown = [None] * len(waited_for["behind"])
    ends, states = (waited_for.get(name) or unknown for name in ("behind_at", "behind_states"))
    behind = dict(zip(waited_for["behind"], ends, strict=True))
    state = dict(zip(waited_for["behind"], states, strict=True))
    named = {n: replicas.name({"node": n, "state": state[n]}) for n in behind}
    last = record.get("completed_by", {}).get("replica")
    if last in behind:
        behind = {last: behind[last]}
    if len(behind) > 1:
        lagging = [f"{named[n]}, {_known_end(end, need)}" for n, end in behind.items()]
        return f"{', '.join(lagging[:-1])}, and {lagging[-1]}"
    [(node, end)] = behind.items()
    return f"{named[node]}, {_known_end(end, need)}"


def _lacking_now(record: Record) -> list[str]:
    """The replicas that a request still waits for, each with its lag and, if known, the cause."""
    if "completed_by" in record:
        return []
    waited_for = record["waited_for"]
    return [
        f"{replicas.name(each)}: {replicas.lag(each, partition['needed_offset'])}"
        for partition in record["partitions"]
        if (partition["topic"], partition["partition"])
        == (waited_for["topic"], waited_for["partition"])
        for each in partition.get("replicas", ())
        if each["behind"] and each["in_sync"]
    ]


def _known_end(end: int | None, need: int) -> str:
    if end is None:
        return "behind"
    return f"last known at {end} of {need}" if end >= 0 else "not known yet"


_CONDITIONS: Mapping[str, Callable[[Record], str]] = {
    "high_watermark": _replicas_behind,
    "low_watermark": _low_watermark,
    "members": lambda _: "the other members of its group",
    "stored": _stored,
    "flush": lambda _: "its records to be flushed to disk",
    "transaction": _held_back,
    "transaction_coordinator": _transaction_coordinator,
    "transaction_state": _transaction_record,
    "markers": _markers,
}


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
        return f"was completed immediately with {_some([_error(each) for each in failed])}"
    if record["completed_by"]["cause"] in _GONE:
        return _GONE[record["completed_by"]["cause"]]
    if record["api"] == "Fetch" and record["partitions"]:
        return f"got {_count(_bytes(record), 'byte')} immediately"
    return "was completed immediately"


def _ended(record: Record) -> str:
    by = record["completed_by"]
    cause = by["cause"]
    if cause in _GONE:
        return _GONE[cause]
    if cause == "timeout":
        return _missing(record)
    if cause == "leadership":
        where = f" of {_name(by)}" if "topic" in by else ""
        return f"was completed because the leadership{where} changed{_by_request(by)}"
    if cause == "deleted":
        return f"was completed because {_name(by)} was deleted{_by_request(by)}"
    if cause == "transaction":
        return f"was completed by {_transaction_end(by)}"
    if (
        cause == "high_watermark"
        and record["api"] != "Fetch"
        and not {"request", "replica"} & set(by)
    ):
        # At a leader, only this advances it without a fetch or an append.
        return f"was completed because the in-sync replicas of {_name(by)} changed{_caused(record)}"
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
    }
    what = words.get(by["cause"], f"{by['cause'].replace('_', ' ')} of")
    return f"{what} {_name(by)}" if "topic" in by else what.rpartition(" ")[0]


def _transaction_end(by: Mapping[str, Any]) -> str:
    transaction = by["transaction"]
    whose = f"the {transaction['outcome']} of the transaction of {_producer(transaction)}"
    held = durations.format_us(transaction["held_ms"] * 1000)
    marker = ""
    if by.get("request") is not None:
        verb = "wrote" if by.get("replica") is None else "replicated"
        marker = f" when {_completer(by)} {verb} its marker"
    return f"{whose} in {_name(by)}{marker}; it had held back the last stable offset for {held}"


def _by_request(by: Mapping[str, Any]) -> str:
    return f" by {_completer(by)}" if by.get("request") is not None else ""


def _caused(record: Record) -> str:
    """The effect of the completing event on what the request waited for."""
    by, waited_for = record["completed_by"], record["waited_for"]
    kind = None if waited_for is None else waited_for["kind"]
    if kind == "min_bytes":
        return f", which increased it to {_count(_bytes(record), 'byte')}"
    if kind == "high_watermark" and by.get("offset") is not None:
        return f", which advanced the high watermark of {_name(by)} to {by['offset']}"
    return ""


def _missing(record: Record) -> str:
    """A timeout, and what was missing when it expired."""
    limit_ms, waited_for = record["timeout_ms"], record["waited_for"]
    if record["purgatory"] == "Rebalance":
        return "was completed when the time for the members of its group to join expired"
    words = "timed out" if limit_ms is None else f"timed out after {limit_ms:,} ms"
    if waited_for is None or "need" not in waited_for or waited_for["kind"] == "transaction":
        return words
    missing, had = waited_for["need"] - waited_for["had"], waited_for["had"]
    if waited_for["kind"] == "min_bytes":
        available = f"{_count(had, 'byte')} {_were(had)} available"
        return f"{words}: {available}, {missing:,} {_were(missing)} missing"
    if waited_for["kind"] == "markers":
        return f"{words}: {missing:,} {_were(missing)} missing"
    name = waited_for["kind"].replace("_", " ")
    return f"{words}: the {name} of {_name(waited_for)} was {had} of {waited_for['need']}"


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
        return [f"The response has {_some(failed)}."]
    if record["error"]:
        return [f"The response has {error_names.format_code(record['error'])}."]
    return []


def _error(partition: Mapping[str, Any]) -> str:
    return f"{error_names.format_code(partition['error'])} for {_name(partition)}"


# ------------------------------------------------------------------------------- single words


def _timed_out(record: Record) -> bool:
    """Whether it timed out; `_missing` reports the available bytes then."""
    return bool(record.get("completed_by", {}).get("cause") == "timeout")


def _bytes(record: Record) -> int:
    return sum(each["bytes"] for each in record["partitions"])


def _name(partition: Mapping[str, Any]) -> str:
    return f"{partition['topic']}-{partition['partition']}"


def _times(count: int) -> str:
    return _TIMES[count] if count < len(_TIMES) else f"{count:,} times"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _count(count: int, unit: str) -> str:
    return f"{count:,} {unit}" + ("" if count == 1 else "s")


def _some(words: Sequence[str]) -> str:
    """The first three, and the number of the others."""
    more = len(words) - _PARTITIONS_MAX
    shown = list(words[:_PARTITIONS_MAX])
    return _listed([*shown, f"{more} more"] if more > 0 else shown)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
