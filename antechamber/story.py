"""One request's story in sentences, told from its wait record and from nothing else.

    Fetch 12 of client reader asked node 1 for 1,000 bytes of orders-0 from offset 42, found 312,
    waited 183 ms in the Fetch purgatory, was looked at three times, and was released by Produce 17
    of client billing, which brought it to 1,204 bytes.

A record is a mapping with the fields of docs/records.md; a request that still waits has those that
exist already, and ``remaining_ms``. Pure: whoever has records can tell them so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antechamber import durations, error_names, replicas

Record = Mapping[str, Any]

_TIMES = ("never", "once", "twice", "three times", "four times", "five times")
_PARTITIONS_MAX = 3
_PHASES = (
    ("queued_us", "before it was its turn"),
    ("local_us", "in the handler"),
    ("parked_us", "waiting"),
    ("send_us", "until the answer was with the kernel"),
)


def story(record: Record) -> list[str]:
    """The sentences: what happened, then where the time went, if it has ended."""
    who = f"{_who(record)} {_asked(record)}"
    if "completed_by" not in record:
        return [f"{who}{_found(record)}, and waits{_where(record)}{_so_far(record)}."]
    if record["purgatory"] is None:
        return [f"{who}, and {_at_once(record)}.", *_stalled(record), phases(record)]
    waited = f", waited {durations.told(record['parked_us'])}{_where(record)}"
    looked = f", was looked at {_times(record['checks'])}" if record["checks"] else ""
    told = [f"{who}{_found(record)}{waited}{looked}, and {_ended(record)}."]
    return [*told, *_errors(record), *_stalled(record), phases(record)]


def phases(record: Record) -> str:
    """Where the time went, in one sentence; phases without a microsecond are left out."""
    spent = [f"{durations.told(record[name])} {words}" for name, words in _PHASES if record[name]]
    total = durations.told(record["total_us"])
    if not spent:
        return f"It took {total}."
    return f"It took {total} in all: {_listed(spent)}."


# ------------------------------------------------------------------------------- the beginning


def _who(record: Record) -> str:
    return f"{record['api']} {record['correlation_id']} of {_client(record['client_id'])}"


def _client(client_id: str | None) -> str:
    return f"client {client_id}" if client_id else "a client without a name"


def _asked(record: Record) -> str:
    node, api, partitions = f"node {record['node']}", record["api"], record["partitions"]
    waited_for = record["waited_for"] or {}
    if api == "Fetch":
        least = waited_for.get("need")
        amount = "data" if least is None else _count(least, "byte")
        begins = [f"{_name(each)} from offset {each['offset']}" for each in partitions]
        return f"asked {node} for {amount}" + (f" of {_some(begins)}" if begins else "")
    if api == "Produce" and partitions:
        return f"brought {_some([_produced(each) for each in partitions])} to {node}"
    if api == "DeleteRecords" and partitions:
        below = [f"{_name(each)} below offset {each['offset']}" for each in partitions]
        return f"asked {node} to delete {_some(below)}"
    group = f" about group {waited_for['group']}" if waited_for.get("group") else ""
    return f"asked {node}{group}"


def _produced(partition: Mapping[str, Any]) -> str:
    count = partition.get("records")
    if count is None and "needed_offset" in partition:  # it waits still
        count = partition["needed_offset"] - partition["offset"]
    words = f"{_count(count, 'record') if count else 'records'} for {_name(partition)}"
    appended = count and partition["offset"] >= 0
    return f"{words} at offset {partition['offset']}" if appended else words


def _found(record: Record) -> str:
    """What was there when it began to wait; of one that waits still, what is there now."""
    waited_for = record["waited_for"]
    if waited_for is None or waited_for["kind"] != "min_bytes" or _timed_out(record):
        return ""
    return f", {'found' if 'completed_by' in record else 'has'} {waited_for['had']:,}"


def _where(record: Record) -> str:
    purgatory = record["purgatory"]
    return f" in the {purgatory} purgatory{_for_whom(record)}" if purgatory else ""


def _for_whom(record: Record) -> str:
    """Whom the wait was for, where it was for somebody."""
    waited_for = record["waited_for"]
    if waited_for is None:
        return ""
    if waited_for["kind"] == "high_watermark":
        return _for_replicas(record)
    if waited_for["kind"] == "low_watermark":
        return f" for every replica of {_name(waited_for)} to begin at {waited_for['need']}"
    if waited_for["kind"] == "members":
        return " for the other members of its group"
    if waited_for["kind"] == "stored":
        what = "its offsets" if record["api"] == "OffsetCommit" else "what its group has written"
        return f" for {what} to be stored"
    if waited_for["kind"] == "flush":
        return " for the disk to have its records"
    return ""


def _for_replicas(record: Record) -> str:
    """Those that were behind; if it is known which was the last, that one alone."""
    waited_for, need = record["waited_for"], record["waited_for"]["need"]
    if lacking := _lacking_now(record):
        return f" for {_listed(lacking)}"
    if not waited_for["behind"]:
        return f" for the high watermark of {_name(waited_for)}, {waited_for['had']} of {need}"
    unknown = [None] * len(waited_for["behind"])
    ends, states = (waited_for.get(name) or unknown for name in ("behind_at", "behind_states"))
    behind = dict(zip(waited_for["behind"], ends, strict=True))
    state = dict(zip(waited_for["behind"], states, strict=True))
    named = {n: replicas.name({"node": n, "state": state[n]}) for n in behind}
    last = record.get("completed_by", {}).get("replica")
    if last in behind:
        behind = {last: behind[last]}
    if len(behind) > 1:
        lagging = [f"{named[n]}, {_seen(end, need)}" for n, end in behind.items()]
        return f" for {', '.join(lagging[:-1])}, and {lagging[-1]}"
    [(node, end)] = behind.items()
    return f" for {named[node]}, {_seen(end, need)}"


def _lacking_now(record: Record) -> list[str]:
    """Of a request that waits still: who is behind now, by how much, and why if it is known."""
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


def _seen(end: int | None, need: int) -> str:
    if end is None:
        return "behind"
    return f"last seen at {end} of {need}" if end >= 0 else "not seen yet"


# ------------------------------------------------------------------------------------ the end


def _so_far(record: Record) -> str:
    so_far = f", {durations.told(record['parked_us'])} so far"
    remaining_ms = record.get("remaining_ms")
    if remaining_ms is None:
        return so_far
    return f"{so_far} and {durations.told(max(remaining_ms, 0) * 1000)} more at most"


def _at_once(record: Record) -> str:
    refused = [each for each in record["partitions"] if each["error"]]
    if record["error"]:
        return f"was refused at once with {error_names.told(record['error'])}"
    if refused:
        names = [f"{_name(each)} with {error_names.told(each['error'])}" for each in refused]
        return f"was answered at once; refused: {_some(names)}"
    if record["completed_by"]["cause"] in _GONE:
        return _GONE[record["completed_by"]["cause"]]
    if record["api"] == "Fetch" and record["partitions"]:
        return f"got {_count(_bytes(record), 'byte')} at once"
    return "was answered at once"


def _ended(record: Record) -> str:
    by = record["completed_by"]
    cause = by["cause"]
    if cause in _GONE:
        return _GONE[cause]
    if cause == "timeout":
        return _missing(record)
    if cause == "leadership":
        where = f" of {_name(by)}" if "topic" in by else ""
        return f"was answered because the leadership{where} moved{_by_request(by)}"
    if cause == "deleted":
        return f"was answered because {_name(by)} was deleted{_by_request(by)}"
    if (
        cause == "high_watermark"
        and record["api"] != "Fetch"
        and not {"request", "replica"} & set(by)
    ):
        # The only way for it to move at a leader without anybody's fetch or append.
        return f"was released because the in-sync set of {_name(by)} changed{_brought(record)}"
    return f"was released by {_releaser(by)}{_brought(record)}"


_GONE = {
    "disconnect": "was abandoned: its client went away",
    "shutdown": "was never answered: its node stopped",
    "error": "was never answered: its connection was closed for an error",
}


def _releaser(by: Mapping[str, Any]) -> str:
    request = by.get("request")
    if request is not None:
        replica = by.get("replica")
        whose = _client(request["client_id"]) if replica is None else f"node {replica}"
        return f"{request['api']} {request['correlation_id']} of {whose}"
    words = {
        "append": "an append to",
        "high_watermark": "a new high watermark of",
        "flush": "the flush of",
    }
    what = words.get(by["cause"], f"{by['cause'].replace('_', ' ')} of")
    return f"{what} {_name(by)}" if "topic" in by else what.rpartition(" ")[0]


def _by_request(by: Mapping[str, Any]) -> str:
    return f" by {_releaser(by)}" if by.get("request") is not None else ""


def _brought(record: Record) -> str:
    """What the release made of what was waited for."""
    by, waited_for = record["completed_by"], record["waited_for"]
    kind = None if waited_for is None else waited_for["kind"]
    if kind == "min_bytes":
        return f", which brought it to {_count(_bytes(record), 'byte')}"
    if kind == "high_watermark" and by.get("offset") is not None:
        return f", which brought the high watermark of {_name(by)} to {by['offset']}"
    return ""


def _missing(record: Record) -> str:
    """A timeout, and what was missing."""
    limit_ms, waited_for = record["timeout_ms"], record["waited_for"]
    if record["purgatory"] == "Rebalance":
        return "was released when time was up for the members of its group"
    allowed = "" if limit_ms is None else f" of {limit_ms:,} ms"
    words = f"ended with its time{allowed}"
    if waited_for is None or "need" not in waited_for:
        return words
    missing, had = waited_for["need"] - waited_for["had"], waited_for["had"]
    if waited_for["kind"] == "min_bytes":
        there = f"{_count(had, 'byte')} {_were(had)} there"
        return f"{words}: {there}, {missing:,} {_were(missing)} missing"
    name = waited_for["kind"].replace("_", " ")
    return f"{words}: the {name} of {_name(waited_for)} was {had} of {waited_for['need']}"


def _stalled(record: Record) -> list[str]:
    """The step of the broker's loop that held it up, if one did."""
    step = record.get("stalled_by")
    if step is None:
        return []
    whose = "" if step["api"] is None else f" of {_who(step)}"
    return [f"It had to wait for a step{whose}, which took {durations.told(step['ms'] * 1000)}."]


def _errors(record: Record) -> list[str]:
    """What the answer refused in the end."""
    refused = [
        f"{_name(each)} with {error_names.told(each['error'])}"
        for each in record["partitions"]
        if each.get("error")
    ]
    if refused:
        return [f"The answer refused {_some(refused)}."]
    return [f"The answer was {error_names.told(record['error'])}."] if record["error"] else []


# ------------------------------------------------------------------------------- single words


def _timed_out(record: Record) -> bool:
    """What it lacked is told at the end then."""
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
    """The first few, and how many more there are."""
    more = len(words) - _PARTITIONS_MAX
    shown = list(words[:_PARTITIONS_MAX])
    return _listed([*shown, f"{more} more"] if more > 0 else shown)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
