"""The exceptions of the clients of the admin interface."""

from __future__ import annotations


class AdminError(Exception):
    """The broker refused the request, with an HTTP status and a message of one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    def with_remedy(self, parameter: str, remedy: str) -> AdminError:
        """The error with another remedy, if it is about *parameter*: the broker's is for HTTP."""
        reason, semicolon, _ = str(self).rpartition("; ")
        if not (semicolon and reason.startswith(f"{parameter}: ")):
            return self
        return AdminError(self.status, f"{reason}; {remedy}")


class InvalidArgument(ValueError):  # noqa: N818 - the name states the problem
    """The ``argument`` ``url``, ``token`` or ``ca`` of a client cannot be used."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(message)
        self.argument = argument


class NoBroker(ConnectionError):  # noqa: N818 - the name states the problem
    """No server, or another kind of server, is at the address of the admin interface.

    ``is_refused``: nothing listens there.
    """

    def __init__(self, message: str, *, is_refused: bool = False) -> None:
        super().__init__(message)
        self.is_refused = is_refused
