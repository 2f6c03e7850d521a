"""What a request waits for, in English; records are those of `antechamber.explain`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from antechamber import durations, phrases, replicas

Record = Mapping[str, Any]


def condition(record: Record) -> str:
    """What the request waits or waited for, after " for "; empty for bytes and unknown kinds."""
    waited_for = record["waited_for"]
    if waited_for is None:
        return ""
    describe = _CONDITIONS.get(waited_for["kind"])
    return "" if describe is None else f" for {describe(record)}"


def _low_watermark(record: Record) -> str:
    waited_for = record["waited_for"]
    start = f"log start offset {waited_for['need']}"
    return f"every replica of {phrases.name(waited_for)} to reach {start}"


def _stored(record: Record) -> str:
    what = "its offsets" if record["api"] == "OffsetCommit" else "the records of its group"
    return f"{what} to be stored"


def _markers(record: Record) -> str:
    waited_for = record["waited_for"]
    where = phrases.counted(waited_for["need"], "partition")
    transaction = waited_for.get("transaction")
    if transaction is None:
        return f"markers in {where}"
    return f"the {transaction['outcome']} of the transaction of {producer(transaction)} in {where}"


def _held_back(record: Record) -> str:
    """The offset that cannot be read yet, and the transaction that is the reason."""
    waited_for = record["waited_for"]
    transaction = waited_for["transaction"]
    offset = f"offset {waited_for['offset']} of {phrases.name(waited_for)}"
    held = durations.format_us(transaction["held_ms"] * 1000)
    if transaction["state"] == "open":
        whose = f"the open transaction of {producer(transaction)}"
    else:
        whose = f"the transaction of {producer(transaction)}, whose marker is not replicated,"
    return f"{offset}, held back by {whose} for {held}"


def _transaction_coordinator(record: Record) -> str:
    waited_for = record["waited_for"]
    node, transactional_id = waited_for["node"], waited_for["transactional_id"]
    where = "" if node is None else f", node {node}"
    return f"the coordinator of transactional id {transactional_id}{where}"


def _transaction_record(record: Record) -> str:
    waited_for = record["waited_for"]
    transactional_id = waited_for["transactional_id"]
    if transactional_id is None:
        return "the records of its transactions to be replicated"
    state = waited_for.get("state")  # older brokers do not record it
    value = "" if state is None else f" ({state}, epoch {waited_for['producer_epoch']})"
    return f"the record of transactional id {transactional_id}{value} to be replicated"


def _share_records(record: Record) -> str:
    """The member whose lock expires first, if records are acquired."""
    waited_for = record["waited_for"]
    words = f"records that group {waited_for['group']} can acquire"
    if "acquired" not in waited_for:
        return words
    acquired, member = waited_for["acquired"], waited_for["member"]
    expires = durations.format_us(waited_for["lock_expires_in_ms"] * 1000)
    locked = f"{phrases.counted(acquired, 'record')} {phrases.were(acquired)} acquired"
    return f"{words}: {locked}, and the lock of member {member} had {expires} left"


def _replicas_behind(record: Record) -> str:
    """The replicas that were behind, or only the one that caught up last if it is known."""
    waited_for, need = record["waited_for"], record["waited_for"]["need"]
    if lacking := _lacking_now(record):
        return phrases.listed(lacking)
    if not waited_for["behind"]:
        return f"the high watermark of {phrases.name(waited_for)}, at {waited_for['had']} of {need}"
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


def _applying_nodes(record: Record) -> str:
    nodes = [str(node) for node in record["waited_for"]["nodes"]]
    if not nodes:  # the request is about to complete
        return "all nodes to apply its change"
    return f"{'node' if len(nodes) == 1 else 'nodes'} {phrases.some(nodes)} to apply its change"


def producer(transaction: Mapping[str, Any]) -> str:
    """The transactional id; without one, no coordinator knows the transaction."""
    name = transaction.get("transactional_id")
    if name is None:
        return f"producer id {transaction['producer_id']}, which no coordinator knows,"
    return f"producer {name}"


_CONDITIONS: Mapping[str, Callable[[Record], str]] = {
    "high_watermark": _replicas_behind,
    "low_watermark": _low_watermark,
    "members": lambda _: "the other members of its group",
    "failed_authentication": lambda _: "the delay after a failed login",
    "stored": _stored,
    "applied": _applying_nodes,
    "flush": lambda _: "its records to be flushed to disk",
    "transaction": _held_back,
    "transaction_coordinator": _transaction_coordinator,
    "transaction_state": _transaction_record,
    "markers": _markers,
    "share_records": _share_records,
    "share_state": lambda record: (
        f"the acknowledgements of group {record['waited_for']['group']} to be stored"
    ),
}
