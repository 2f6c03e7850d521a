"""The parameters of a fetch."""

from __future__ import annotations

import pytest

from broker.replication.fetch_data import FetchIsolation


@pytest.mark.parametrize(
    ("replica_id", "isolation_level", "isolation"),
    [
        (-1, 0, FetchIsolation.HIGH_WATERMARK),
        (-1, 1, FetchIsolation.TXN_COMMITTED),
        (-2, 0, FetchIsolation.HIGH_WATERMARK),
        (0, 0, FetchIsolation.LOG_END),
        (3, 1, FetchIsolation.LOG_END),
        (-3, 0, FetchIsolation.LOG_END),
    ],
)
def test_isolation_depends_on_the_reader(
    replica_id: int, isolation_level: int, isolation: FetchIsolation
) -> None:
    """Replicas read to the log end.

    Consumers, including the debugging one, only committed records.
    """
    assert FetchIsolation.of(replica_id, isolation_level) is isolation
