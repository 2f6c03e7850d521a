"""The errors the broker raises on purpose; `broker.common.unexpected_errors` contains all others.

``protocol.codec.Malformed`` (bytes nobody can understand) and `Refused` close the connection,
`ApiError` becomes an error code in the answer, `StartupError` becomes one line and exit code 2,
`DiskFailed` and `NodeFailed` one line and exit code 1. `InvariantBroken` ends a node.
"""

from __future__ import annotations

from protocol.errors import ErrorCode

# Kafka's own words for whatever is INVALID_REQUEST without a reason.
INVALID_REQUEST_WORDS = (
    "This most likely occurs because of a request being malformed by the client library or the "
    "message was sent to an incompatible broker. See the broker logs for more details."
)


class ApiError(Exception):
    """A request that is understood and refused: answered with Kafka's error code."""

    def __init__(self, code: ErrorCode, message: str | None = None) -> None:
        super().__init__(message or code.name)
        self.code = code
        self.message = message


class Refused(Exception):  # noqa: N818 - it names what happened to the request, not a fault of ours
    """A request that Kafka does not answer: the connection is closed, the reason is logged."""


class StartupError(Exception):
    """The broker cannot start as asked: one line that names the culprit and the remedy."""


class DiskFailed(Exception):  # noqa: N818 - it names what is the matter
    """The last data directory is lost, or the controller's memory: one line, and the process ends.

    Kafka halts for either (``LogManager.handleLogDirFailure``, ``ReplicaManager``).
    """


class InvariantBroken(Exception):  # noqa: N818 - it names what is the matter
    """The state that replicas share is inconsistent: to go on could lose or corrupt records.

    It ends the node, and no other. Kafka halts for the like (``FatalExitError``).
    """


class NodeFailed(Exception):  # noqa: N818 - it names what is the matter
    """The last node has failed: one line, and the process ends."""


class NoSuchNode(Exception):  # noqa: N818 - it names what is the matter
    """The cluster has no node of that id; the message is one line that names those it has."""


class WrongState(Exception):  # noqa: N818 - it names what is the matter
    """The node is not in a state from which that can be done; the message says which it is in."""
