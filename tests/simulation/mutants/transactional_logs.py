"""Mutants of partitions with transactions, of their readers, and of offsets in transactions."""

from __future__ import annotations

import pytest

from broker.storage.readable_log import ReadableLog
from tests.simulation.mutants.registry import mutant


@mutant(2)
def open_transactions_are_read(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ReadableLog, "last_stable_offset", property(lambda self: self.high_watermark))


@mutant(2)
def aborted_transactions_are_not_listed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ReadableLog, "aborted_in", lambda self, data, upper: [])
