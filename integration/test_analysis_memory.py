"""The memory of a measured analysis and of the processes that it starts."""

from __future__ import annotations

import subprocess
import sys

import psutil  # type: ignore[import-untyped]  # it has no types
import pytest

from benchmarks.analysis import resident_mb

# Starts a process with the same command line, another one, and one that ends and is not reaped.
_FAMILY = """
import os, subprocess, sys
if "IS_COPY" not in os.environ:
    os.environ["IS_COPY"] = "yes"
    subprocess.Popen(sys.orig_argv)
    subprocess.Popen([sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"])
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
print(flush=True)
sys.stdin.read()
"""


def test_a_process_with_its_parents_command_line_is_not_counted() -> None:
    """It has the memory of its parent until it executes a program of its own."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _FAMILY], stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        for _ in range(3):
            process.stdout.readline()
        parent = psutil.Process(process.pid)
        copy, other, ended = parent.children()
        assert copy.cmdline() == parent.cmdline()
        assert ended.status() == psutil.STATUS_ZOMBIE
        family = [parent, copy, other, ended]
        assert resident_mb(family) == pytest.approx(
            resident_mb([parent]) + resident_mb([other]), rel=0.05
        )
