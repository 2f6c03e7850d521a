"""The script that becomes the process of a room; run by path and isolated, never imported.

It puts the folder of the rooms (`broker`, `pipeline`, `recorder`, ...) first on the path: in an
installed wheel that is the folder of this file, in a checkout the one above it.
"""

from __future__ import annotations

import importlib
import os
import sys


def main() -> int:
    """Run the room that is named first with the other arguments; returns the exit code."""
    here = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.isdir(os.path.join(here, "broker"))
    sys.path.insert(0, here if installed else os.path.dirname(here))
    given = os.environ.pop("ANTECHAMBER_SEARCH_PATH", "").split(os.pathsep)
    sys.path.extend(folder for folder in given if folder and folder not in sys.path)
    # By name, because the front door must not depend on the rooms.
    room = sys.argv.pop(1)
    try:
        return int(importlib.import_module(f"{room}.__main__").main())
    except SystemExit as ended:
        return _ended(ended)


def _ended(ended: SystemExit) -> int:
    """The exit code after argparse has ended a room; it ignores a help that cannot be written."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        sys.stdout = None  # or Python tries to write it again in the end
        sys.stderr.write(f"antechamber: write error: {error.strerror}\n")
        return 1
    return ended.code if isinstance(ended.code, int) else 0


if __name__ == "__main__":
    sys.exit(main())
