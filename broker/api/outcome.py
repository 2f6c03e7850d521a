"""What a request handler returns if it does not return the response."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final


class Outcome(Enum):
    """``PARKED``: `Request.respond` is called later, or has been called.

    ``NO_RESPONSE``: the request is complete, and has no response (a produce with ``acks=0``).
    """

    PARKED = auto()
    NO_RESPONSE = auto()


PARKED: Final = Outcome.PARKED
NO_RESPONSE: Final = Outcome.NO_RESPONSE
