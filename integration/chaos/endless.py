"""Writes its process id to the file of its argument, and does not end."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

if __name__ == "__main__":
    path = Path(sys.argv[1])
    part = path.with_suffix(".part")
    part.write_text(str(os.getpid()))
    part.replace(path)
    threading.Event().wait()
