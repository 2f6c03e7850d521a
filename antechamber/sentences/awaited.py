"""What a request waits for, in English; records are those of `antechamber.explain`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from antechamber.sentences import durations, phrases, replicas

Record = Mapping[str, Any]


def condition(record: Record) -> str:
    """What the request waits or waited for, after " for "; empty for bytes and unknown kinds."""
    kind = (record.get("waited_for") or {}).get("kind", "")
    describe = _CONDITIONS.get(kind)
    return "" if describe is None else f" for {describe(record)}"


def _low_watermark(record: Record) -> str:
    waited_for = record["waited_for"]
    need = waited_for.get("need")
    start = "the new log start offset" if need is None else f"log start offset {need}"
    return f"every replica of {phrases.name(waited_for)} to reach {start}"


def _stored(record: Record) -> str:
    what = "its offsets" if record["api"] == "OffsetCommit" else "the records of its group"
    return f"{what} to be stored"


def _markers(record: Record) -> str:
    waited_for = record["waited_for"]
    need, transaction = waited_for.get("need"), waited_for.get("transaction")
    where = "partitions" if need is None else phrases.counted(need, "partition")
    if transaction is None:
        return f"markers in {where}"
    outcome = transaction.get("outcome") or "end"
    return f"the {outcome} of the transaction of {producer(transaction)} in {where}"


def _held_back(record: Record, verb: str = ",") -> str:
    """The offset that cannot be read yet, and the transaction that is the reason."""
    waited_for = record["waited_for"]
    transaction, offset = waited_for.get("transaction") or {}, waited_for.get("offset")
    held_ms = transaction.get("held_ms")
    place = "the next offset" if offset is None else f"offset {offset}"
    held = "" if held_ms is None else f" for {durations.format_us(held_ms * 1000)}"
    whose = _TRANSACTIONS.get(transaction.get("state", ""), "the transaction of {}")
    by = whose.format(producer(transaction))
    return f"{place} of {phrases.name(waited_for)}{verb} held back by {by}{held}"


# By the state of the transaction.
_TRANSACTIONS = {
    "open": "the open transaction of {}",
    "decided": "the transaction of {}, whose marker is not replicated,",
}


def _transaction_coordinator(record: Record) -> str:
    waited_for = record["waited_for"]
    node, transactional_id = waited_for.get("node"), waited_for.get("transactional_id")
    where = "" if node is None else f", node {node}"
    whose = (
        "its transaction" if transactional_id is None else f"transactional id {transactional_id}"
    )
    return f"the coordinator of {whose}{where}"


def _transaction_record(record: Record) -> str:
    waited_for = record["waited_for"]
    transactional_id = waited_for.get("transactional_id")
    if transactional_id is None:
        return "the records of its transactions to be replicated"
    # Older brokers record neither of them.
    state, epoch = waited_for.get("state"), waited_for.get("producer_epoch")
    known = [state] if state is not None else []
    known += [f"epoch {epoch}"] if epoch is not None else []
    value = f" ({', '.join(known)})" if known else ""
    return f"the record of transactional id {transactional_id}{value} to be replicated"


def _share_records(record: Record) -> str:
    """The member whose lock expires first, if records are acquired."""
    waited_for = record["waited_for"]
    words = f"records that {_group(waited_for)} can acquire"
    facts = [*_acquired(waited_for), *_available(waited_for)]
    if waited_for.get("transaction") is not None:
        facts.append(_held_back(record, " was"))
    return f"{words}: {'; '.join(facts)}" if facts else words


def _acquired(waited_for: Record) -> Iterator[str]:
    """The number of records that are acquired, and the locks on them."""
    acquired, member = waited_for.get("acquired"), waited_for.get("member")
    expires_in_ms, locks = waited_for.get("lock_expires_in_ms"), waited_for.get("locks")
    if acquired is None:
        return
    words = f"{phrases.counted(acquired, 'record')} {phrases.were(acquired)} acquired"
    if locks:
        yield f"{words}, {phrases.some([lock(each) for each in locks])}"
        return
    if expires_in_ms is None:
        yield words
        return
    whose = "a lock" if member is None else f"the lock of member {member}"
    yield f"{words}, and {whose} had {durations.format_us(expires_in_ms * 1000)} left"


def _available(waited_for: Record) -> Iterator[str]:
    """Records that were released before the wait began, and a window without room."""
    available, full = waited_for.get("available"), waited_for.get("full_window")
    if available is not None:
        yield f"{phrases.counted(available, 'released record')} {phrases.were(available)} available"
    if full is not None:
        yield f"no further record of {full} may be in flight"


def lock(each: Record) -> str:
    """A lock on records: ``0-9 of orders-0 by member a (delivered once, 30.0 s left)``."""
    count, left_ms = each.get("delivery_count"), each.get("lock_expires_in_ms")
    known = [f"delivered {phrases.times(count)}"] if count is not None else []
    known += [f"{durations.format_us(left_ms * 1000)} left"] if left_ms is not None else []
    where = f" of {phrases.name(each)}" if each.get("topic") is not None else ""
    added = f" ({', '.join(known)})" if known else ""
    return f"{offsets(each)}{where} by {member(each)}{added}"


def offsets(each: Record) -> str:
    """The offsets of a lock: ``7`` or ``0-9``; brokers always record both ends."""
    first, last = each.get("first_offset"), each.get("last_offset")
    if first is None or last is None:
        return "records"
    return f"{first}" if first == last else f"{first}-{last}"


def member(each: Record) -> str:
    """The member that holds a lock."""
    name = each.get("member")
    return "a member" if name is None else f"member {name}"


def _group(waited_for: Record) -> str:
    group = waited_for.get("group")
    return "its group" if group is None else f"group {group}"


def _replicas_behind(record: Record) -> str:
    """The replicas that were behind, or only the one that caught up last if it is known."""
    waited_for, need = record["waited_for"], record["waited_for"].get("need")
    if lacking := _lacking_now(record):
        return phrases.listed(lacking)
    behind, had = waited_for.get("behind"), waited_for.get("had")
    if not behind:
        known = "" if need is None or had is None else f", at {had} of {need}"
        return f"the high watermark of {phrases.name(waited_for)}{known}"
    ends = dict(zip(behind, waited_for.get("behind_at") or (), strict=False))
    states = dict(zip(behind, waited_for.get("behind_states") or (), strict=False))
    last = (record.get("completed_by") or {}).get("replica")
    lagging = [
        f"{replicas.name({'node': node, 'state': states.get(node)})},"
        f" {_known_end(ends.get(node), need)}"
        for node in ([last] if last in behind else behind)
    ]
    if len(lagging) == 1:
        return lagging[0]
    return f"{', '.join(lagging[:-1])}, and {lagging[-1]}"


def _lacking_now(record: Record) -> list[str]:
    """The replicas that a request still waits for, each with its lag and, if known, the cause."""
    if record.get("completed_by") is not None:
        return []
    waited_for = record["waited_for"]
    return [
        f"{replicas.name(each)}: {replicas.lag(each, partition['needed_offset'])}"
        for partition in record.get("partitions") or ()
        if phrases.name(partition) == phrases.name(waited_for)
        for each in partition.get("replicas", ())
        if each["behind"] and each["in_sync"]
    ]


def _known_end(end: int | None, need: int | None) -> str:
    if end is None:
        return "behind"
    if end < 0:
        return "not known yet"
    return f"last known at {end}" if need is None else f"last known at {end} of {need}"


def _applying_nodes(record: Record) -> str:
    nodes = [str(node) for node in record["waited_for"].get("nodes") or ()]
    if not nodes:  # the request is about to complete
        return "all nodes to apply its change"
    return f"{'node' if len(nodes) == 1 else 'nodes'} {phrases.some(nodes)} to apply its change"


def producer(transaction: Mapping[str, Any]) -> str:
    """The transactional id; without one, no coordinator knows the transaction."""
    name, producer_id = transaction.get("transactional_id"), transaction.get("producer_id")
    if name is not None:
        return f"producer {name}"
    if producer_id is None:
        return "a producer"
    return f"producer id {producer_id}, which no coordinator knows,"


_CONDITIONS: Mapping[str, Callable[[Record], str]] = {
    "high_watermark": _replicas_behind,
    "low_watermark": _low_watermark,
    "members": lambda _: "the other members of its group",
    "failed_authentication": lambda _: "the delay after a failed login",
    "share_session_limit": lambda _: "the delay of a refused share session",
    "stored": _stored,
    "applied": _applying_nodes,
    "flush": lambda _: "its records to be flushed to disk",
    "transaction": _held_back,
    "transaction_coordinator": _transaction_coordinator,
    "transaction_state": _transaction_record,
    "markers": _markers,
    "share_records": _share_records,
    "share_coordinator": lambda _: "share coordinators to respond",
    "share_state": lambda record: (
        f"the acknowledgements of {_group(record['waited_for'])} to be stored"
    ),
}
