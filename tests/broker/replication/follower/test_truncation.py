"""Where to cut (mirrors ReplicaFetcherThreadTest and AbstractFetcherThreadTest on truncation)."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.replication.follower.truncation import UNDEFINED, truncation_offset
from broker.storage.log import Log
from broker.storage.offset_metadata import LogOffsetMetadata
from tests.broker.replication.world import records
from tests.broker.storage.logs import open_log


def _log(folder: Path, *epochs: int) -> Log:
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
def test_an_epoch_both_have_decides(
    tmp_path: Path, epochs: tuple[int, ...], leader: tuple[int, int], offset: int
) -> None:
    """The logs are equal up to the smaller of its two ends."""
    assert truncation_offset(_log(tmp_path, *epochs), *leader) == offset


def test_an_epoch_we_do_not_have_is_stepped_over(tmp_path: Path) -> None:
    """Kafka's shouldTruncateIfLeaderRepliesWithDivergingEpochNotKnownToFollower.

    We cut to the end of the largest epoch below it, and the next fetch goes on from there.
    """
    assert truncation_offset(_log(tmp_path, 1, 1, 1, 4, 4), 3, 4) == 3


def test_an_epoch_before_all_of_ours(tmp_path: Path) -> None:
    """Nothing of what we have is in the leader's log."""
    log = _log(tmp_path, 4, 4)

    assert truncation_offset(log, 2, 1) == 0


def test_a_leader_that_knows_nothing(tmp_path: Path) -> None:
    """Kafka's shouldTruncateToInitialFetchOffsetIfLeaderReturnsUndefinedOffset: the watermark."""
    log = _log(tmp_path, 1, 1, 1)
    log.update_high_watermark(LogOffsetMetadata(2))

    assert truncation_offset(log, UNDEFINED, UNDEFINED) == 2


def test_a_leader_without_epochs(tmp_path: Path) -> None:
    """Its end is all there is to go by, and never a reason to grow."""
    log = _log(tmp_path, 1, 1, 1)

    assert truncation_offset(log, UNDEFINED, 2) == 2
    assert truncation_offset(log, UNDEFINED, 9) == 3


def test_a_log_without_epochs(tmp_path: Path) -> None:
    """The leader's end again."""
    log = _log(tmp_path)

    assert truncation_offset(log, 1, 5) == 0


def test_an_epoch_without_records_is_forgotten_with_nothing_to_cut(tmp_path: Path) -> None:
    """We were elected, appended nothing, and follow again: the leader has never heard of it.

    Kept, it would diverge in every fetch for ever (Kafka's ``UnifiedLog.truncateTo``).
    """
    log = _log(tmp_path, 1, 1)
    log.maybe_assign_epoch_start_offset(2, 2)

    assert not log.truncate_to(truncation_offset(log, 1, 2))

    assert (log.log_end_offset, log.latest_epoch) == (2, 1)
