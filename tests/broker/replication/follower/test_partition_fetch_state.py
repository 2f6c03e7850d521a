"""The fetch state of one partition."""

from __future__ import annotations

from pathlib import Path

from broker.replication.follower.partition_fetch_state import PartitionFetchState
from tests.broker.replication.world import make_partition, records


def test_the_fetch_offset_is_the_log_end(tmp_path: Path) -> None:
    """Appends and truncations move it."""
    partition = make_partition(tmp_path, leader=2)
    state = PartitionFetchState(partition, partition.leader_epoch)
    assert (state.fetch_offset, state.last_fetched_epoch) == (0, -1)

    partition.append_as_follower(records(b"a", partition_leader_epoch=4), 5, 0, 0)
    assert (state.fetch_offset, state.last_fetched_epoch) == (1, 4)

    partition.log.truncate_to(0)
    assert (state.fetch_offset, state.last_fetched_epoch) == (0, -1)


def test_states_are_compared_by_identity(tmp_path: Path) -> None:
    """A response for an earlier state does not affect a later equal one."""
    partition = make_partition(tmp_path, leader=2)

    assert PartitionFetchState(partition, 5) != PartitionFetchState(partition, 5)
