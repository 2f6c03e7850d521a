"""A message being encoded: small values are copied, large record sets are sent from where they are.

An `Output` is a bytearray with the positions at which external memory belongs between its own
bytes, so that a megabyte of fetched records is never copied into a response. External bytes may
also be `Deferred`: they are read when they are sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

SPLICE_BYTES_MIN = 16 * 1024  # below this size a copy is cheaper than one more part to send

Bytes = bytes | bytearray | memoryview


class SpliceLost(Exception):  # noqa: N818 - it names what happened to the response
    """Bytes that a response contains cannot be read any more, so the response cannot be sent."""


# Sends bytes of an open file, by its descriptor, a position and a size; returns how many are sent.
# None if the system cannot send from this file.
SendFile = Callable[[int, int, int], int | None]


class Deferred(Protocol):
    """Bytes of a message that are read when they are sent."""

    def __len__(self) -> int: ...

    def read(self, start: int, size: int) -> bytes:
        """Read *size* bytes from *start* on; raises `SpliceLost`."""
        ...

    def send(self, send_file: SendFile, start: int, size: int) -> int | None:
        """Send up to *size* bytes from *start* on without reading them; returns how many.

        None if they have to be read. Raises `SpliceLost`, and what *send_file* raises.
        """
        ...


Splice = Bytes | Deferred
BUFFERS = (bytes, bytearray, memoryview)


class Output(bytearray):
    """A growing message; `parts` returns what to send."""

    # Positions and values; a list if there are any. An `__init__` that made it for every message
    # took 1 % of the processor time of a small produce.
    splices: list[tuple[int, Splice]] | tuple[()] = ()
    spliced_bytes = 0  # the size of their values

    def splice(self, value: Splice) -> None:
        """Append *value*; a large one is not copied and must not change until it is sent."""
        if len(value) < SPLICE_BYTES_MIN and isinstance(value, BUFFERS):
            self += value
        else:
            if isinstance(self.splices, tuple):
                self.splices = []
            self.splices.append((len(self), value))
            self.spliced_bytes += len(value)

    def parts(self) -> list[Splice]:
        """The message in pieces, in order."""
        if not self.splices:
            return [self]
        own, parts, position = memoryview(self), list[Splice](), 0
        for at, value in self.splices:
            parts += (own[position:at], value)
            position = at
        parts.append(own[position:])
        return [part for part in parts if len(part)]

    def joined(self) -> bytes:
        """The whole message in one piece."""
        return b"".join(map(as_bytes, self.parts())) if self.splices else bytes(self)


def as_bytes(value: Splice) -> Bytes:
    """Return *value* as bytes; raises `SpliceLost`."""
    return value if isinstance(value, BUFFERS) else value.read(0, len(value))
