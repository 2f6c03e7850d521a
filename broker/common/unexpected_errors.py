"""Exceptions that nobody expected: contained where they happen, logged, and counted.

    a request's handler, decoder, encoder, completion    error response, or the connection closes
    a timer's task, an action, a periodic chore          logged; the others go on, chores return
    `InvariantBroken`                                    the node stops, as after a crash
    `DiskFailed`                                         the process ends

In strict mode every such exception is raised instead, so that it ends the process with its
traceback. All tests of this project run in strict mode, except those of the containment itself.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from broker.common.errors import DiskFailed, InvariantBroken
from broker.wait_records.causes import name_of_api
from protocol.headers import RequestHeader
from protocol.printable import printable

if TYPE_CHECKING:
    from broker.api.request import Request
    from broker.network.connection import Connection

log = logging.getLogger("antechamber.errors")

_STRICT_VARIABLE = "ANTECHAMBER_STRICT"


def is_strict() -> bool:
    """Whether the environment asks for strict mode."""
    return os.environ.get(_STRICT_VARIABLE) == "1"


class UnexpectedErrors:
    """The exceptions of one node, or of what all nodes share; *owner* names it in the log.

    ``stop_node`` is called with one that ends the node.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._strict = is_strict()
        self._by_api: Counter[str] = Counter()
        self._others = 0
        self.stop_node: Callable[[Exception], None] = _raise

    def in_request(self, request: Request[Any], error: Exception) -> None:
        """Report an exception in the work of *request*; raises it in strict mode."""
        self.in_frame(request.header, request.client_host, error)

    def in_frame(self, header: RequestHeader, peer: str, error: Exception) -> None:
        """Report an exception in the work on a request of which only the header is known."""
        if self._is_fatal(error):
            return
        api = name_of_api(header.api_key)
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

    def in_connection(self, connection: Connection, error: Exception) -> None:
        """Report an exception in the reading or writing of *connection*, which it has closed."""
        self.elsewhere(f"the connection from {connection.transport.peer}", error)

    def elsewhere(self, what: str, error: Exception) -> None:
        """Report an exception in *what*, which is no request; raises it in strict mode."""
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
        """How many there were: in requests, by API, and elsewhere."""
        return {"requests": dict(sorted(self._by_api.items())), "others": self._others}

    def _is_fatal(self, error: Exception) -> bool:
        """Stop the node if the error says so; raises errors that concern the whole process."""
        if self._strict or isinstance(error, DiskFailed):
            raise error
        if isinstance(error, InvariantBroken):
            self.stop_node(error)
            return True
        return False


def indented_traceback(error: BaseException) -> str:
    """The traceback, each line indented, so that none can be mistaken for a log line.

    The text of an exception may be a client's, so control characters are escaped.
    """
    text = "".join(traceback.format_exception(error)).rstrip("\n")
    return "\n".join(f"    {printable(line)}" for line in text.split("\n"))


def _raise(error: Exception) -> None:
    raise error
