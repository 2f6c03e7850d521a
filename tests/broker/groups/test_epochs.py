"""Epochs."""

from __future__ import annotations

import pytest

from broker.groups.epochs import next_epoch


@pytest.mark.parametrize(
    ("epoch", "following"), [(0, 1), (2**31 - 2, 2**31 - 1), (2**31 - 1, -(2**31)), (-1, 0)]
)
def test_epochs_wrap_around(epoch: int, following: int) -> None:
    """Observed with Kafka 4.3.1, whose groups continue with negative numbers."""
    assert next_epoch(epoch) == following
