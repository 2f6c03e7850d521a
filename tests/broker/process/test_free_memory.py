"""Returning free memory to the system: `broker.process.free_memory`."""

from __future__ import annotations

import pytest

from broker.process import free_memory
from broker.process.free_memory import release_free_memory, release_of


class Library:
    """A C library with the function."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def malloc_trim(self, pad: int) -> int:
        """Note the call."""
        self.calls.append(pad)
        return 1


def test_all_that_is_free_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept for buffers to come."""
    library = Library()
    monkeypatch.setattr(free_memory, "_release", release_of(library))

    release_free_memory()

    assert library.calls == [0]


def test_a_library_without_the_function_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other systems have an allocator of their own."""
    monkeypatch.setattr(free_memory, "_release", release_of(object()))

    release_free_memory()

    assert free_memory._release is None
