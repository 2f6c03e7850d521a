"""``python -m antechamber``."""

from __future__ import annotations

import sys

from antechamber.cli import main

if __name__ == "__main__":
    sys.exit(main())
