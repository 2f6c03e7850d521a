"""Runs a package as on Windows, as far as another system can imitate it; started by its path.

    python integration/processes/imitated_windows.py broker --port 0 ...

`sys.platform` is ``win32`` for the modules of the project. What Windows lacks is removed: `fcntl`,
`resource`, calls and flags of `os`. As there, a file that the process has open is neither renamed,
replaced nor removed, nor is a directory that contains it, and a directory cannot be opened.
"""

from __future__ import annotations

import asyncio.subprocess
import ctypes
import errno
import fcntl
import importlib
import os
import shutil
import signal
import socket
import sqlite3
import ssl
import stat
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import trio

ROOT = Path(__file__).parent.parent.parent
IMPORTED_BEFORE = (asyncio.subprocess, ctypes, sqlite3, ssl, subprocess, tempfile, trio, uuid)
MISSING = (
    *("fork", "pread", "pwrite", "preadv", "pwritev", "killpg", "setsid", "geteuid", "getuid"),
    *("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "execve", "statvfs", "sendfile"),
)
_UNNAMED: int = getattr(os, "O_TMPFILE", -1)  # Linux has it
RENAMING = ("rename", "replace", "unlink", "remove", "rmdir")


def imitate() -> None:
    """Change this process."""
    for name in RENAMING:
        setattr(os, name, _refused_if_open(getattr(os, name)))
    setattr(os, "open", _not_of_directories(os.open))  # noqa: B010 - as the others
    for name in MISSING:
        delattr(os, name)
    # `rmtree` works as on Windows. Python reads the first name before 3.14, the second since then.
    setattr(shutil, "_use_fd_functions", False)  # noqa: B010 - there is no public name
    setattr(shutil, "_rmtree_impl", getattr(shutil, "_rmtree_unsafe"))  # noqa: B009, B010 - the same
    msvcrt = ModuleType("msvcrt")
    lock = fcntl.lockf
    both = fcntl.LOCK_EX | fcntl.LOCK_NB
    msvcrt.LK_NBLCK = 2  # type: ignore[attr-defined]  # a module with few names
    msvcrt.locking = lambda fd, _mode, _size: lock(fd, both)  # type: ignore[attr-defined]  # as above
    missing = dict.fromkeys(("fcntl", "resource"))
    sys.modules.update({"msvcrt": msvcrt, **missing})  # type: ignore[dict-item]  # None: no module
    socket.SO_EXCLUSIVEADDRUSE = socket.SO_REUSEADDR  # type: ignore[attr-defined]  # as close as it gets
    del signal.SIGKILL, signal.SIGHUP
    sys.platform = "win32"


def open_files() -> list[str]:
    """The paths of the files that this process has open, without directories."""
    found = []
    for link in os.scandir("/proc/self/fd"):
        try:
            if not stat.S_ISDIR(os.stat(link.path).st_mode):
                found.append(os.readlink(link.path))
        except OSError:
            continue
    return found


def _refused_if_open(call: Callable[..., Any]) -> Callable[..., Any]:
    def refusing(path: Any, *rest: Any, **keywords: Any) -> Any:
        for each in (path, *rest):
            whole = os.path.realpath(each)
            if any(name == whole or name.startswith(f"{whole}/") for name in open_files()):
                raise PermissionError(errno.EACCES, "The process has the file open", str(each))
        return call(path, *rest, **keywords)

    return refusing


def _not_of_directories(call: Callable[..., int]) -> Callable[..., int]:
    def opening(path: Any, flags: int, *rest: Any, **keywords: Any) -> int:
        unnamed = flags & _UNNAMED == _UNNAMED  # how `tempfile` makes a file on Linux
        if os.path.isdir(path) and not unnamed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return call(path, flags, *rest, **keywords)

    return opening


if __name__ == "__main__":
    imitate()
    sys.path.insert(0, str(ROOT))
    sys.exit(importlib.import_module(f"{sys.argv.pop(1)}.__main__").main())
