"""Tests of leader epochs: `broker.storage.log.leader_epoch_file_cache`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.storage.files.disk import Disk
from broker.storage.log.leader_epoch_file_cache import LeaderEpochFileCache


def epochs_at(path: Path, *entries: tuple[int, int]) -> LeaderEpochFileCache:
    epochs = LeaderEpochFileCache(path, Disk())
    for entry in entries:
        epochs.assign_all([entry])
    return epochs


def test_epochs_survive_a_restart(tmp_path: Path) -> None:
    """Each change is written to the file."""
    epochs_at(tmp_path, (0, 0), (2, 10))
    again = epochs_at(tmp_path)
    assert again.entries == [(0, 0), (2, 10)]
    assert again.latest == 2


def test_an_epoch_without_records_is_written_with_the_next_one(tmp_path: Path) -> None:
    """A log that is opened again removes it, so that it needs no write."""
    epochs = epochs_at(tmp_path, (0, 0))
    epochs.begin(1, 10)
    assert (epochs.is_saved, epochs.latest) == (False, 1)
    assert epochs_at(tmp_path).entries == [(0, 0)]

    epochs.assign_all([(1, 10)])

    assert epochs.is_saved
    assert epochs_at(tmp_path).entries == [(0, 0), (1, 10)]


def test_an_epoch_begins_once(tmp_path: Path) -> None:
    """Later batches of an epoch do not change its start."""
    assert epochs_at(tmp_path, (1, 5), (1, 9)).entries == [(1, 5)]


def test_entries_that_contradict_a_new_epoch_are_removed(tmp_path: Path) -> None:
    """Those with a higher epoch or a later start."""
    assert epochs_at(tmp_path, (1, 5), (4, 20), (3, 12)).entries == [(1, 5), (3, 12)]
    assert epochs_at(tmp_path, (5, 8)).entries == [(1, 5), (5, 8)]


def test_undefined_epochs_are_not_added(tmp_path: Path) -> None:
    """Batches of old formats have none."""
    assert epochs_at(tmp_path, (-1, 5)).entries == []


@pytest.mark.parametrize(
    ("epoch", "end"),
    [
        (-1, (-1, -1)),  # undefined stays undefined
        (0, (0, 5)),  # before all: the first known one begins there
        (1, (1, 20)),  # known: it ends where the next begins
        (3, (1, 20)),  # unknown between two: the one before
        (4, (4, 30)),  # the latest: it ends at the log end
        (5, (-1, -1)),  # never heard of
    ],
)
def test_the_end_offset_of_an_epoch(tmp_path: Path, epoch: int, end: tuple[int, int]) -> None:
    """A follower truncates to it (KIP-101)."""
    assert epochs_at(tmp_path, (1, 5), (4, 20)).end_offset_for(epoch, 30) == end


def test_without_epochs_there_is_no_end_offset(tmp_path: Path) -> None:
    """A new log has no epochs."""
    assert epochs_at(tmp_path).end_offset_for(0, 30) == (-1, -1)


def test_the_epoch_of_an_offset(tmp_path: Path) -> None:
    """-1 for an offset before all epochs."""
    epochs = epochs_at(tmp_path, (1, 5), (4, 20))
    assert [epochs.epoch_for_offset(offset) for offset in (4, 5, 19, 20, 99)] == [-1, 1, 1, 4, 4]


def test_truncation_from_both_ends(tmp_path: Path) -> None:
    """The epoch of the log start offset begins there then."""
    epochs = epochs_at(tmp_path, (1, 5), (4, 20), (6, 40))
    epochs.truncate_from_end(40)
    epochs.truncate_from_start(7)
    assert epochs.entries == [(1, 7), (4, 20)]
    epochs.truncate_from_start(25)
    assert epochs.entries == [(4, 25)]
    epochs.clear()
    assert (epochs.entries, epochs.latest) == ([], -1)


def test_changes_at_opening_are_written_with_the_next_epoch(tmp_path: Path) -> None:
    """Until then the file stays: another opening makes the same changes."""
    entries = [(1, 5), (4, 20), (6, 40)]
    epochs = epochs_at(tmp_path, *entries)
    epochs.opened(7, 40, clean=True)
    assert (epochs.entries, epochs.latest) == ([(1, 7), (4, 20)], 4)
    assert epochs_at(tmp_path).entries == entries
    epochs.assign_all([(4, 40)])
    assert epochs_at(tmp_path).entries == [(1, 7), (4, 20)]


def test_an_epoch_that_continues_is_not_written_again(tmp_path: Path) -> None:
    """A broker that starts with a thousand idle partitions replaces no file."""
    epochs = epochs_at(tmp_path, (0, 0))
    epochs.opened(0, 0, clean=True)
    before = (tmp_path / "leader-epoch-checkpoint").stat().st_ino
    epochs.assign_all([(0, 0)])
    assert (tmp_path / "leader-epoch-checkpoint").stat().st_ino == before
    assert epochs.entries == [(0, 0)]
