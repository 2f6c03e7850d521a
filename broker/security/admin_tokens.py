"""The bearer tokens of the admin interface (RFC 6750): one for everything, one for reading."""

from __future__ import annotations

import hmac
from dataclasses import field
from enum import Enum, auto
from typing import Final

from protocol.lazy_dataclass import dataclass


class AdminAccess(Enum):
    """What a request may do."""

    NONE = auto()
    READ = auto()
    FULL = auto()


@dataclass(frozen=True, slots=True)
class AdminTokens:
    """The token for all requests, and the one for requests that change nothing; None: no such."""

    full: str | None = field(default=None, repr=False)
    read_only: str | None = field(default=None, repr=False)

    @property
    def are_required(self) -> bool:
        """Whether a request needs one of them."""
        return self.full is not None or self.read_only is not None

    def access(self, authorization: str) -> AdminAccess:
        """What the value of an ``Authorization`` header allows.

        The time does not depend on the number of characters that are right.
        """
        scheme, _, given = authorization.partition(" ")
        is_full, is_read_only = _is(given, self.full), _is(given, self.read_only)
        if not self.are_required or (scheme.lower() == "bearer" and is_full):
            return AdminAccess.FULL
        return AdminAccess.READ if scheme.lower() == "bearer" and is_read_only else AdminAccess.NONE


NO_TOKENS: Final = AdminTokens()


def _is(given: str, token: str | None) -> bool:
    return token is not None and hmac.compare_digest(given.strip().encode(), token.encode())
