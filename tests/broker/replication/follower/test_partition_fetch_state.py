"""The fetch state of one partition."""

from __future__ import annotations

from pathlib import Path

from broker.replication.follower.partition_fetch_state import PartitionFetchState
from tests.broker.replication.world import make_partition


def test_states_are_compared_by_identity(tmp_path: Path) -> None:
    """A response for an earlier state does not affect a later equal one."""
    partition = make_partition(tmp_path, leader=2)

    assert PartitionFetchState(partition, 5) != PartitionFetchState(partition, 5)
