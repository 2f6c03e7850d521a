"""Flags of `os.open` on each system."""

from __future__ import annotations

import os

from broker.process import file_flags
from tests.foreign_system import as_on


def test_posix_has_them() -> None:
    """There is no text mode, so BINARY has no effect."""
    assert file_flags.NOFOLLOW == os.O_NOFOLLOW
    assert file_flags.NONBLOCK == os.O_NONBLOCK
    assert file_flags.BINARY == 0


def test_a_missing_flag_has_no_effect() -> None:
    """As on Windows."""
    windows = as_on("win32", file_flags.__name__, without={os: ("O_NOFOLLOW", "O_NONBLOCK")})

    assert (windows.NOFOLLOW, windows.NONBLOCK) == (0, 0)
