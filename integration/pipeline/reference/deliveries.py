"""`deliveries`: each appended batch and each client that it was delivered to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from integration.pipeline.reference.record import Record, Row, partitions

# Without an error, and the errors of a produce whose records are in the log nevertheless.
THERE = (None, 0, 7, 20)


class Place(NamedTuple):
    """Offsets of a partition that a request has appended or read."""

    topic: str
    partition: int
    first: int
    end: int


def deliveries(records: list[Record]) -> list[Row]:
    """The rows of the table: of each client, the first Fetch that reads the batch after it."""
    found: dict[tuple[object, ...], Row] = {}
    fetches = list(_requests(records, "Fetch"))
    for produce, batch in _requests(records, "Produce"):
        for fetch, read in fetches:
            row = _row(produce, batch, fetch)
            key = (batch, *(row[name] for name in _BATCH))
            is_read = batch[:2] == read[:2] and read.first <= batch.first < read.end
            is_first = key not in found or row["delivered"] < found[key]["delivered"]
            if is_read and is_first and row["delivered"] >= row["appended"]:
                found[key] = row
    return list(found.values())


_BATCH = ("producer", "consumer", "appended", "produce_parked_us", "append_to_answer_us")


def _row(produce: Record, batch: Place, fetch: Record) -> Row:
    appended = produce["arrived_us"] + produce["queued_us"] + produce["local_us"]
    delivered = fetch["arrived_us"] + fetch["total_us"]
    return {
        "topic": batch.topic,
        "partition": batch.partition,
        "offset": batch.first,
        "records": batch.end - batch.first,
        "producer": produce.get("client_id"),
        "consumer": fetch.get("client_id"),
        "appended": appended,
        "delivered": delivered,
        "produce_parked_us": produce["parked_us"],
        "append_to_answer_us": produce["arrived_us"] + produce["total_us"] - appended,
        "fetch_was_waiting": fetch["arrived_us"] < appended,
        "fetch_parked_us": fetch["parked_us"],
        "append_to_delivery_us": delivered - appended,
    }


def _requests(records: Iterable[Record], api: str) -> Iterator[tuple[Record, Place]]:
    for record in records:
        for each in partitions(record):
            place = _place(each)
            if record["api"] == api and place is not None and each.get("error") in THERE:
                yield record, place


def _place(partition: Record) -> Place | None:
    """The offsets that were appended or read; None if none are known."""
    topic, number = partition.get("topic"), partition.get("partition")
    offset, count = partition.get("offset"), partition.get("records")
    if topic is None or number is None or offset is None or count is None:
        return None
    return Place(topic, number, offset, offset + count) if offset >= 0 and count > 0 else None
