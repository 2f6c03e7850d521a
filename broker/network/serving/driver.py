"""The waits of a connection, and the object that performs them for it."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol


class Interest(Enum):
    """What a connection waits for before it continues to read and to serve frames."""

    READ = auto()  # until the transport is readable
    READ_OR_RESUME = auto()  # until the transport is readable, or `Driver.resume` is called
    RESUME = auto()  # until `Driver.resume` is called
    MEMORY = auto()  # until the memory pool is no longer exhausted, or `Driver.resume` is called
    TURN = auto()  # until other connections have been served
    CLOSED = auto()  # nothing; the connection has ended


class Driver(Protocol):
    """Performs the waits of one connection and calls its event methods."""

    def resume(self) -> None:
        """Call ``Connection.on_resume`` soon, if the connection waits for that."""
        ...

    def drain(self) -> None:
        """Call ``Connection.on_writable`` each time the transport is writable, until False."""
        ...

    def defer_send(self) -> bool:
        """Call ``Connection.send_deferred`` soon; False if the connection is to send now.

        What one request completes for other connections is sent together.
        """
        ...

    def send_deferred(self) -> None:
        """Call ``send_deferred`` of all connections for which it is due."""
        ...

    def is_turn_over(self) -> bool:
        """Whether the connection, whose event method runs, is to let others be served."""
        ...

    def close(self) -> None:
        """Wait for the transport no longer; the connection closes it next."""
        ...
