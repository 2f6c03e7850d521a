"""Virtual time for every test, and the same examples of random search in every run.

``make fuzz`` loads the profile ``fresh`` instead, which draws other examples in each run.
"""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from trio.testing import MockClock

# An unexpected exception ends the broker, in this process or in one that a test starts.
os.environ["ANTECHAMBER_STRICT"] = "1"

# No deadline: how long an example takes depends on the machine.
settings.register_profile("derandomized", deadline=None, derandomize=True)
settings.register_profile("fresh", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "derandomized"))

# Their subject, or the way in which they test it, exists only on POSIX systems.
POSIX_ONLY = [
    "antechamber/test_broker_process.py",
    "antechamber/test_child.py",
    "antechamber/test_output.py",
    "broker/process/test_descriptor_limit.py",
    "broker/process/test_descriptors.py",
    "broker/process/test_file_flags.py",
    "broker/process/test_ready_file.py",
    "broker/process/test_stdin_watch.py",
    "broker/storage/directories/test_log_directory.py",
    "broker/storage/directories/test_many_partitions.py",
    "broker/storage/files/test_file_lock.py",
    "broker/storage/files/test_open_files.py",
    "broker/storage/files/test_sync.py",
    "broker/wait_records/test_records_file.py",
    "pipeline/test_connector.py",
    "pipeline/test_java.py",
    "recorder/test_record_file.py",
]
collect_ignore = POSIX_ONLY if sys.platform == "win32" else []


def pytest_report_header() -> list[str]:
    """Name the files that are left out on this system."""
    return [f"not on Windows: {each}" for each in collect_ignore]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Exclude twenty thousand tests from garbage collection, which would traverse them again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(autouse=True)
def _databases(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close the databases that a test has opened: Python warns of open ones since 3.13."""
    connect, opened = sqlite3.connect, list[sqlite3.Connection]()

    def opening(*arguments: Any, **keywords: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments, **keywords))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", opening)
    yield
    for each in opened:
        each.close()


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Trio, with a clock that jumps to the next deadline as soon as every task waits."""
    return "trio", {"clock": MockClock(autojump_threshold=0)}
