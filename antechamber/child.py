"""Child processes on POSIX systems, and on Windows, which has no SIGTERM."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Any

if sys.platform == "win32":

    def detached() -> dict[str, Any]:
        """The arguments of `subprocess.Popen` for a child that Ctrl-C does not interrupt."""
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}

    def ask_to_end(child: subprocess.Popen[bytes]) -> None:
        """Make a child that watches its stdin end in order."""
        if child.stdin is not None:
            child.stdin.close()

    def end_tree(child: subprocess.Popen[bytes]) -> None:
        """End a detached child and the processes that it has started, at once."""
        # taskkill finds them by their parents, and only while the child runs.
        words = ["taskkill", "/F", "/T", "/PID", str(child.pid)]
        if child.poll() is None:
            subprocess.run(words, capture_output=True, check=False)  # noqa: S603 - no shell
        child.wait()

else:

    def detached() -> dict[str, Any]:
        """The arguments of `subprocess.Popen` for a child that Ctrl-C does not interrupt."""
        return {"start_new_session": True}

    def ask_to_end(child: subprocess.Popen[bytes]) -> None:
        """Make a child end in order."""
        child.terminate()

    def end_tree(child: subprocess.Popen[bytes]) -> None:
        """End a detached child and the processes that it has started, at once.

        Processes that have a session of their own are not ended.
        """
        # The group has the child's id, and exists as long as one of its processes.
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses it for ended processes
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
