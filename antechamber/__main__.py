"""``python -m antechamber``, and the command ``antechamber``."""

from __future__ import annotations

import sys

EXIT_INTERRUPTED = 130


def main() -> int:
    """Run one command and return the exit code."""
    try:
        # Imported here, so that Ctrl-C during the import prints no traceback.
        from antechamber.cli import main as run

        return run()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
