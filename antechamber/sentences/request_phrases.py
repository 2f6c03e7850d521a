"""Words for a request: whose it is, and what it requested. Records are those of `explain`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from antechamber.sentences import phrases

Record = Mapping[str, Any]


def identity(record: Record) -> str:
    """The request and its client: ``Fetch 12 of client reader (User:alice, listener SASL_SSL)``."""
    number = record.get("correlation_id")
    request = record["api"] if number is None else f"{record['api']} {number}"
    return f"{request} of {phrases.client(record.get('client_id'))}{phrases.authenticated(record)}"


def requested(record: Record) -> str:
    """What it requested, and from which node."""
    number, partitions = record.get("node"), record.get("partitions") or ()
    node = "a node" if number is None else f"node {number}"
    waited_for = record.get("waited_for") or {}
    group = f" for group {waited_for['group']}" if waited_for.get("group") else ""
    if record["api"] == "Fetch":
        least = waited_for.get("need")
        amount = "data" if least is None else f"at least {phrases.counted(least, 'byte')}"
        places = f" ({_some(_start, partitions)})" if partitions else ""
        return f"requested {amount} from {node}{places}"
    if record["api"] == "ShareFetch" and partitions:
        return f"requested records of {_some(phrases.name, partitions)}{group} from {node}"
    if record["api"] == "Produce" and partitions:
        return f"sent {_some(_produced, partitions)} to {node}"
    if record["api"] == "DeleteRecords" and partitions:
        return f"requested the deletion of {_some(_below, partitions)} on {node}"
    return f"was sent to {node}{group}"


def _some(words: Callable[[Record], str], partitions: Iterable[Record]) -> str:
    return phrases.some([words(each) for each in partitions])


def _start(partition: Record) -> str:
    offset = partition.get("offset")
    return phrases.name(partition) + ("" if offset is None else f" from offset {offset}")


def _below(partition: Record) -> str:
    offset = partition.get("offset")
    return phrases.name(partition) + ("" if offset is None else f" below offset {offset}")


def _produced(partition: Record) -> str:
    count, offset = partition.get("records"), partition.get("offset")
    if count is None and "needed_offset" in partition:  # it is still waiting
        count = partition["needed_offset"] - partition["offset"]
    words = (
        f"{phrases.counted(count, 'record') if count else 'records'} for {phrases.name(partition)}"
    )
    is_appended = count and offset is not None and offset >= 0
    return f"{words} at offset {offset}" if is_appended else words
