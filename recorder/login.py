"""The principal of a connection, as far as the proxy can see it: from the tokens of its SASL login.

    SaslHandshake --> token, token, ... --> the last token is accepted: the principal is known

The name in a token is kept until its login ends, and no other part of a token. Tokens are in
SaslAuthenticate, or after SaslHandshake v0 they are frames without a header.
"""

from __future__ import annotations

import re
from math import inf

PLAIN = "PLAIN"
# The number of the client's tokens in a login that succeeds. The number of others is not known, and
# they contain no name that can be read.
_TOKENS = {PLAIN: 1, "OAUTHBEARER": 1, "SCRAM-SHA-256": 2, "SCRAM-SHA-512": 2}
# The first token of SCRAM (RFC 5802): a header, and the name before the nonce.
_SCRAM = re.compile(r"n,(?:a=[^,]*)?,n=(?P<name>[^,]+),r=[^,]+(?P<extensions>.*)", re.DOTALL)
# The name in the login of a delegation token is its id, not its owner (KIP-48).
_NAMES_AN_ID = ",tokenauth=true"


class Login:
    """The logins of one connection; ``principal`` is ``User:name``, or None if it is not known."""

    def __init__(self) -> None:
        self.principal: str | None = None
        self._mechanism = ""
        self._are_raw = False
        self._unsent: float = 0  # tokens that the client has not sent
        self._unanswered: float = 0  # tokens that the broker has not accepted
        self._name: str | None = None

    @property
    def expects_raw_token(self) -> bool:
        """Whether the next frame of the client is a token without a header."""
        return self._are_raw and self._unsent > 0

    def begin(self, mechanism: str, version: int) -> None:
        """Begin a login: the broker has accepted a SaslHandshake of that version."""
        self._mechanism = mechanism
        self._are_raw = version == 0
        self._unsent = self._unanswered = _TOKENS.get(mechanism, inf)
        self._name = None

    def token(self, token: bytes) -> None:
        """Count a token of the client, and read the user's name if it is there."""
        self._unsent -= 1
        if self._mechanism == PLAIN:
            self._name = _name_in_plain(token)
        elif self._mechanism.startswith("SCRAM") and self._unsent:
            self._name = _name_in_scram(token)

    def accepted(self) -> None:
        """Count an accepted token; with the last one the principal is known."""
        self._unanswered -= 1
        if not self._unanswered:
            self.principal = None if self._name is None else f"User:{self._name}"


def _name_in_plain(token: bytes) -> str | None:
    """The second of three parts; the third is the password."""
    parts = token.split(b"\0")
    return parts[1].decode(errors="replace") if len(parts) == 3 else None


def _name_in_scram(token: bytes) -> str | None:
    found = _SCRAM.fullmatch(token.decode(errors="replace"))
    if found is None or _NAMES_AN_ID in found["extensions"]:
        return None
    return found["name"].replace("=2C", ",").replace("=3D", "=")
