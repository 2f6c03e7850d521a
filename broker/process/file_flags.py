"""Flags of `os.open` that some systems do not have; there they are 0.

O_CLOEXEC is not among them: child processes of Python inherit no descriptor (PEP 446).
"""

from __future__ import annotations

import os

# Windows translates line ends without it.
BINARY: int = getattr(os, "O_BINARY", 0)
# Windows follows links, but only administrators can create them there.
NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
# Opening a pipe waits without it for the pipe's other end.
NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
