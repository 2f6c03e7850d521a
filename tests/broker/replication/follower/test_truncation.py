"""Truncation offsets (mirrors ReplicaFetcherThreadTest and AbstractFetcherThreadTest)."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.replication.follower.truncation import UNDEFINED, truncation_offset
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from tests.broker.replication.world import records
from tests.broker.storage.logs import open_log


def _log(folder: Path, *epochs: int) -> UnifiedLog:
    """A log with one record in each of these epochs."""
    log = open_log(folder)
    for offset, epoch in enumerate(epochs):
        log.append_as_follower(records(b"a", base_offset=offset, partition_leader_epoch=epoch), 99)
    return log


@pytest.mark.parametrize(
    ("epochs", "leader", "offset"),
    [
        ((1, 1, 1, 1, 2, 2), (1, 3), 3),
        ((1, 1, 2, 2), (1, 4), 2),
        ((1, 1, 1, 1), (1, 9), 4),
    ],
    ids=["the leader's epoch ended before", "ours ended before", "ours is not at its end"],
)
def test_a_common_epoch_determines_the_offset(
    tmp_path: Path, epochs: tuple[int, ...], leader: tuple[int, int], offset: int
) -> None:
    """The logs are equal up to the smaller of its two ends."""
    assert truncation_offset(_log(tmp_path, *epochs), *leader) == offset


def test_an_unknown_epoch_truncates_to_the_epoch_below(tmp_path: Path) -> None:
    """Kafka's shouldTruncateIfLeaderRepliesWithDivergingEpochNotKnownToFollower.

    The offset is the end of the largest epoch below it, and the next fetch continues from there.
    """
    assert truncation_offset(_log(tmp_path, 1, 1, 1, 4, 4), 3, 4) == 3


def test_an_epoch_below_all_known_ones_truncates_everything(tmp_path: Path) -> None:
    """The leader's log has none of the records."""
    log = _log(tmp_path, 4, 4)

    assert truncation_offset(log, 2, 1) == 0


def test_an_undefined_offset_truncates_to_the_high_watermark(tmp_path: Path) -> None:
    """Kafka's shouldTruncateToInitialFetchOffsetIfLeaderReturnsUndefinedOffset."""
    log = _log(tmp_path, 1, 1, 1)
    log.update_high_watermark(LogOffsetMetadata(2))

    assert truncation_offset(log, UNDEFINED, UNDEFINED) == 2


def test_an_undefined_epoch_truncates_to_the_leaders_end(tmp_path: Path) -> None:
    """The log never grows."""
    log = _log(tmp_path, 1, 1, 1)

    assert truncation_offset(log, UNDEFINED, 2) == 2
    assert truncation_offset(log, UNDEFINED, 9) == 3


def test_a_log_without_epochs_is_truncated_to_the_leaders_end(tmp_path: Path) -> None:
    """The offset is limited to its log end."""
    log = _log(tmp_path)

    assert truncation_offset(log, 1, 5) == 0


def test_truncation_at_the_log_end_removes_an_epoch_without_records(tmp_path: Path) -> None:
    """The node was elected, appended nothing, and follows a leader that does not know the epoch.

    The epoch would diverge in every fetch (Kafka's ``UnifiedLog.truncateTo``).
    """
    log = _log(tmp_path, 1, 1)
    log.begin_epoch(2)

    assert not log.truncate_to(truncation_offset(log, 1, 2))

    assert (log.log_end_offset, log.leader_epoch_cache.latest) == (2, 1)
