"""Reads and writes at a position, with and without system calls for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from broker.storage.files import positional
from tests.foreign_system import as_on

WINDOWS = as_on("win32", positional.__name__, without={os: ("pread", "pwrite")})
SYSTEMS = pytest.mark.parametrize("system", [positional, WINDOWS], ids=["posix", "win32"])


@pytest.fixture
def fd(tmp_path: Path) -> Iterator[int]:
    """A file that is open for reading and writing."""
    opened = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    yield opened
    os.close(opened)


@SYSTEMS
def test_the_position_of_the_last_call_has_no_effect(system: ModuleType, fd: int) -> None:
    """Each call has its own; bytes after the end of the file are none."""
    assert system.pwrite(fd, b"0123456789", 0) == 10
    assert system.pread(fd, 3, 7) == b"789"
    assert system.pwrite(fd, memoryview(b"ab"), 2) == 2
    assert system.pread(fd, 100, 1) == b"1ab456789"
    assert system.pread(fd, 1, 10) == b""


@SYSTEMS
def test_threads_read_and_write_their_own_bytes(system: ModuleType, fd: int) -> None:
    """No thread reads at the position of another one."""

    def write_and_read(number: int) -> bool:
        block = bytes([number]) * 64
        for _ in range(50):
            system.pwrite(fd, block, number * 64)
            if system.pread(fd, 64, number * 64) != block:
                return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(write_and_read, range(8)))
