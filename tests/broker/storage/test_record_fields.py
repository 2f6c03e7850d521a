"""Second looks at well-formed records: `broker.storage.record_fields`."""

from __future__ import annotations

from broker.storage.record_fields import record_timestamps_and_keys, renumber
from protocol.records import HEADER_BYTES, Record, build_batch


def block_of(batch: list[Record]) -> bytes:
    return build_batch(batch)[HEADER_BYTES:]


def test_renumbering_changes_nothing_else() -> None:
    """Also where a delta needs fewer bytes than before."""
    batch = [Record(b"k", b"v%d" % i, [("h", b"x")], 5 + i, 1000 * i) for i in range(5)]
    block = renumber(block_of(batch), 5)
    assert block == block_of([record._replace(offset=-1) for record in batch])


def test_timestamps_and_keys_one_by_one() -> None:
    """What the error answers name by index."""
    batch = [Record(None, b"v", timestamp=7), Record(b"k", b"v", timestamp=4)]
    assert list(record_timestamps_and_keys(block_of(batch), 2)) == [(0, False), (-3, True)]
