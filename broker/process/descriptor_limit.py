"""The number of files that the process may open.

Windows has no such limit for sockets, and allows 8,192 files, of which logs use only some.
"""

from __future__ import annotations

import sys
from contextlib import suppress

if sys.platform == "win32":

    def descriptors_allowed() -> int | None:
        """The present limit; None if there is none."""
        return None

    def raise_limit() -> None:
        """Do nothing."""

else:
    import resource

    # macOS refuses more than its OPEN_MAX, also if the hard limit is unlimited.
    _OPEN_MAX = 10_240

    def descriptors_allowed() -> int | None:
        """The present limit; None if there is none."""
        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return None if allowed == resource.RLIM_INFINITY else allowed

    def raise_limit() -> None:
        """Raise the limit to the hard limit or to OPEN_MAX, as a JVM does (``MaxFDLimit``)."""
        allowed, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        for limit in (hard, max(allowed, _OPEN_MAX)):
            with suppress(ValueError, OSError):  # the system refuses it
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
                return
