"""Whom to report an exception to that belongs to one task or operation, and not to its caller."""

from __future__ import annotations

import logging
from collections.abc import Callable

log = logging.getLogger(__name__)

# Takes what has failed, in words, and the exception. What it raises goes on to the caller.
OnError = Callable[[str, Exception], None]


def log_error(what: str, error: Exception) -> None:
    """Log the exception with its traceback."""
    log.error("%s failed", what, exc_info=error)
