"""The expected errors of the broker; `broker.common.unexpected_errors` contains all others.

``protocol.codec.Malformed`` (bytes that cannot be decoded) and `Refused` close the connection,
`ApiError` becomes an error code in the response, `StartupError` one line and exit code 2,
`DiskFailed` and `NodeFailed` one line and exit code 1. `InvariantBroken` ends a node.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

from protocol.errors import ErrorCode

# Kafka's message for INVALID_REQUEST without a reason.
INVALID_REQUEST_WORDS: Final = (
    "This most likely occurs because of a request being malformed by the client library or the "
    "message was sent to an incompatible broker. See the broker logs for more details."
)


class ApiError(Exception):
    """A request was decoded and refused; its response contains Kafka's error code."""

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        super().__init__(message or code.name)
        self.code = code
        self.message = message


class Refused(Exception):  # noqa: N818 - it names what happened to the request
    """A request has no response in Kafka: the connection is closed, and the reason is logged."""


@mypyc_attr(allow_interpreted_subclasses=True)
class StartupError(Exception):
    """The broker cannot start as requested: one line that names the cause and the remedy."""


class DiskFailed(Exception):  # noqa: N818 - it names the condition
    """The last data directory or the controller's store has failed: one line, the process ends.

    Kafka halts in both cases (``LogManager.handleLogDirFailure``, ``ReplicaManager``).
    """


class InvariantBroken(Exception):  # noqa: N818 - it names the condition
    """Replicated state is inconsistent: continuing could lose or corrupt records.

    It ends one node. Kafka halts in such cases (``FatalExitError``).
    """


class NodeFailed(Exception):  # noqa: N818 - it names the condition
    """The last node has failed: one line, and the process ends."""


class NoSuchNode(Exception):  # noqa: N818 - it names the condition
    """The cluster has no node with that id; the message is one line with the existing ids."""


class WrongState(Exception):  # noqa: N818 - it names the condition
    """The node's state does not allow the operation; the message contains the state."""


class NoSuchRule(Exception):  # noqa: N818 - it names the condition
    """There is no fault rule with that id; the message is one line."""


class NoSuchPartition(Exception):  # noqa: N818 - it names the condition
    """There is no such topic or partition; the message is one line."""


class InvalidValue(Exception):  # noqa: N818 - it names the condition
    """A value from a user is refused: one sentence that names the field and what is allowed."""
