"""ShareFetch: members of a share group wait for records, and accept each with their next fetch."""

from __future__ import annotations

from benchmarks.share_members import Members
from compiling.workload.client import Client
from compiling.workload.records import accepted, produced
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record

_MEMBERS = 3
_RECORDS = 10
_WAIT_MS = 5_000
_PRODUCE_VERSION = 13


def consume_share_group(bootstrap: str, topic: str, count: int) -> None:
    """Produce *count* batches, one after the other; any member may get each."""
    batch = build_batch([Record(key=None, value=bytes(100))] * _RECORDS)
    with Client(bootstrap) as client, Members(bootstrap, topic, "workload", _MEMBERS) as members:
        produce = produced(topic, client.topic(topic)[0], batch, _PRODUCE_VERSION)
        members.open()
        for member in members.all:
            member.send_fetch(_WAIT_MS, _RECORDS)
        for _ in range(count):
            accepted(client.request(produce))
            for delivery in members.delivered():
                delivery.member.send_fetch(_WAIT_MS, _RECORDS)
