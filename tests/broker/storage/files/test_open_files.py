"""Tests of the limit of open files: `broker.storage.files.open_files`."""

from __future__ import annotations

import resource

import pytest

from broker.storage.files.open_files import OpenFiles


class File:
    def __init__(self, files: OpenFiles[File]) -> None:
        self.recently_used = False
        self.files = files
        files.add(self)

    def close(self) -> None:
        self.files.discard(self)


def test_the_oldest_file_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there would be too many."""
    files = OpenFiles[File](2)
    first, second, third = File(files), File(files), File(files)
    assert list(files) == [second, third]
    assert first not in list(files)


def test_a_used_file_is_skipped_once() -> None:
    """It is closed next time unless it was used again."""
    files = OpenFiles[File](2)
    busy, idle = File(files), File(files)
    busy.recently_used = True
    third = File(files)
    assert list(files) == [busy, third]
    assert not busy.recently_used
    assert idle not in list(files)


def test_without_open_files_none_can_be_closed() -> None:
    """The caller then gets the error."""
    files = OpenFiles[File](2)
    assert not files.close_one()
    File(files)
    assert files.close_one()
    assert len(files) == 0


def test_logs_have_a_share_of_the_descriptors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others are for connections."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 100))
    assert OpenFiles[File]().limit == 50
