"""Free memory is returned to the system."""

from __future__ import annotations

import pytest

from broker.process import free_memory
from broker.process.free_memory import release_free_memory, release_of


class Library:
    """A C library with ``malloc_trim``."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def malloc_trim(self, pad: int) -> int:
        """Record the call."""
        self.calls.append(pad)
        return 1


def test_all_that_is_free_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The C library keeps nothing for later allocations."""
    library = Library()
    monkeypatch.setattr(free_memory, "_release", release_of(library))

    release_free_memory()

    assert library.calls == [0]


def test_a_library_without_malloc_trim_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other systems have other allocators."""
    monkeypatch.setattr(free_memory, "_release", release_of(object()))

    release_free_memory()

    assert release_of(object()) is None
