"""Reporting of exceptions that belong to one task or operation, not to the caller that ran it."""

from __future__ import annotations

import logging
from collections.abc import Callable

log = logging.getLogger(__name__)

# Takes a description of what failed, and the exception. What it raises propagates to the caller.
OnError = Callable[[str, Exception], None]


def log_error(what: str, error: Exception) -> None:
    """Log the exception with its traceback."""
    log.error("%s failed", what, exc_info=error)
