"""Record batches as producers send them, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from tests.client import EPOCH_MS

TIMESTAMP_MS = int(EPOCH_MS)


def batch(*values: bytes | None, timestamp: int = TIMESTAMP_MS, **header: Any) -> bytes:
    """A batch of records with these values and no keys."""
    records: Sequence[Record] = [
        Record(timestamp=timestamp, key=None, value=value) for value in values
    ]
    return bytes(build_batch(records, **header))
