"""Contains, logs and counts unexpected exceptions.

    a request's handler, decoder, encoder, completion    error response, or the connection closes
    a timer task, an action, periodic work               logged; the others continue, and periodic
                                                         work runs again
    `InvariantBroken`                                    the node stops, as after a crash
    `DiskFailed`                                         the process ends

In strict mode each of these exceptions is raised instead, so that it ends the process with its
traceback. All tests of this project run in strict mode, except those of the containment itself.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, Protocol

from broker.common.errors import DiskFailed, InvariantBroken
from protocol.api_names import api_name
from protocol.headers import RequestHeader
from protocol.printable import printable

log = logging.getLogger("antechamber.errors")

_STRICT_VARIABLE: Final = "ANTECHAMBER_STRICT"


class ReportedRequest(Protocol):
    """The fields of a request that are logged with its exception."""

    header: RequestHeader
    client_host: str


def is_strict() -> bool:
    """Whether the environment enables strict mode."""
    return os.environ.get(_STRICT_VARIABLE) == "1"


class UnexpectedErrors:
    """The exceptions of one node, or of what all nodes share; *owner* names it in the log.

    ``stop_node`` is called with an exception that ends the node.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._strict = is_strict()
        self._by_api: Counter[str] = Counter()
        self._others = 0
        self.stop_node: Callable[[Exception], None] = _raise

    def in_request(self, request: ReportedRequest, error: Exception) -> None:
        """Report an exception in the work of *request*; raises it in strict mode."""
        self.in_frame(request.header, request.client_host, error)

    def in_frame(self, header: RequestHeader, peer: str, error: Exception) -> None:
        """Report an exception in the work on a request that has only a header so far."""
        if self._is_fatal(error):
            return
        api = api_name(header.api_key)
        self._by_api[api] += 1
        log.error(
            "%s: unexpected error in a request: api=%s version=%d correlation_id=%d "
            "client_id=%s peer=%s\n%s",
            self._owner,
            api,
            header.api_version,
            header.correlation_id,
            ascii(header.client_id),
            ascii(peer),
            indented_traceback(error),
        )

    def in_connection(self, peer: str, error: Exception) -> None:
        """Report an exception in reading or writing a connection, which has been closed."""
        self.elsewhere(f"the connection from {peer}", error)

    def elsewhere(self, what: str, error: Exception) -> None:
        """Report an exception in *what*, outside of requests; raises it in strict mode."""
        if self._is_fatal(error):
            return
        self._others += 1
        log.error(
            "%s: unexpected error: %s failed\n%s",
            self._owner,
            printable(what),
            indented_traceback(error),
        )

    def statistics(self) -> dict[str, Any]:
        """The number of exceptions: ``requests`` by API, and ``others``."""
        return {"requests": dict(sorted(self._by_api.items())), "others": self._others}

    def _is_fatal(self, error: Exception) -> bool:
        """Stop the node if *error* requires it; raises errors that end the whole process."""
        if self._strict or isinstance(error, DiskFailed):
            raise error
        if isinstance(error, InvariantBroken):
            self.stop_node(error)
            return True
        return False


def indented_traceback(error: BaseException) -> str:
    """The traceback, each line indented, so that none can be mistaken for a log line.

    The text of an exception may contain a client's bytes, so control characters are escaped.
    """
    text = "".join(traceback.format_exception(error)).rstrip("\n")
    return "\n".join(f"    {printable(line)}" for line in text.split("\n"))


def _raise(error: Exception) -> None:
    raise error
