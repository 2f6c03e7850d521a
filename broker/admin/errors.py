"""Logs and counts the exceptions that no handler of the admin interface expects."""

from __future__ import annotations

import logging

from broker.common.unexpected_errors import indented_traceback, is_strict
from protocol.printable import printable

log = logging.getLogger("antechamber.errors")


class AdminErrors:
    """The exceptions of the admin interface; in strict mode they are raised instead."""

    def __init__(self) -> None:
        self._strict = is_strict()
        self.count = 0

    def report(self, what: str, error: Exception) -> None:
        """Report an exception in *what*; raises it in strict mode."""
        if self._strict:
            raise error
        self.count += 1
        log.error("unexpected error: %s failed\n%s", printable(what), indented_traceback(error))
