"""Child processes on POSIX systems, and on Windows, which has no SIGTERM."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

if sys.platform == "win32":

    def detached() -> dict[str, Any]:
        """The arguments of `subprocess.Popen` for a child that Ctrl-C does not interrupt."""
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}

    def ask_to_end(child: subprocess.Popen[bytes]) -> None:
        """Make a child that watches its stdin end in order."""
        if child.stdin is not None:
            child.stdin.close()

else:

    def detached() -> dict[str, Any]:
        """The arguments of `subprocess.Popen` for a child that Ctrl-C does not interrupt."""
        return {"start_new_session": True}

    def ask_to_end(child: subprocess.Popen[bytes]) -> None:
        """Make a child end in order."""
        child.terminate()
