"""The limit of open files, on systems that have one and on Windows."""

from __future__ import annotations

import resource

import pytest

from broker.process import descriptor_limit
from broker.process.descriptor_limit import descriptors_allowed, raise_limit
from tests.foreign_system import as_on


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The limits that the process sets; it has 1,024 files and may have any number."""
    found: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: found.append(both))
    return found


def test_the_limit_is_raised_to_the_hard_limit(limits: list[tuple[int, int]]) -> None:
    """A process may do so itself."""
    raise_limit()

    assert limits == [(resource.RLIM_INFINITY, resource.RLIM_INFINITY)]


def test_a_system_may_refuse_an_unlimited_number(
    limits: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the limit is OPEN_MAX of macOS."""

    def set_limit(_kind: int, both: tuple[int, int]) -> None:
        if both[0] == resource.RLIM_INFINITY:
            raise ValueError("current limit exceeds maximum limit")
        limits.append(both)

    monkeypatch.setattr(resource, "setrlimit", set_limit)

    raise_limit()

    assert limits == [(10_240, resource.RLIM_INFINITY)]


def test_a_limit_that_cannot_be_raised_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker starts with the present limit."""

    def refuse(_kind: int, _both: tuple[int, int]) -> None:
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    before = descriptors_allowed()

    raise_limit()

    assert descriptors_allowed() == before


def test_windows_has_no_limit() -> None:
    """And no module `resource`."""
    windows = as_on("win32", descriptor_limit.__name__, {"resource": None})

    windows.raise_limit()

    assert windows.descriptors_allowed() is None
