"""The tokens of SASL clients: PLAIN, SCRAM and OAUTHBEARER, each part replaceable by tests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from typing import Any

SHA_256, SHA_512 = "SCRAM-SHA-256", "SCRAM-SHA-512"
ALGORITHMS = {SHA_256: "sha256", SHA_512: "sha512"}
PLAIN, OAUTHBEARER = "PLAIN", "OAUTHBEARER"
ITERATIONS = 4096


def plain(user: str, password: str, authzid: str = "") -> bytes:
    """The only token of PLAIN."""
    return "\0".join((authzid, user, password)).encode()


class Scram:
    """The client's side of one SCRAM exchange (RFC 5802)."""

    def __init__(
        self,
        mechanism: str,
        user: str,
        password: str,
        *,
        gs2: str = "n,,",
        extensions: str = "",
    ) -> None:
        self._algorithm = ALGORITHMS[mechanism]
        self._password = password.encode()
        self.gs2 = gs2
        name = user.replace("=", "=3D").replace(",", "=2C")
        self.nonce = secrets.token_hex(12)
        self._bare = f"n={name},r={self.nonce}{extensions}"
        self._signature = b""

    def first(self) -> bytes:
        """The first message."""
        return (self.gs2 + self._bare).encode()

    def final(self, server_first: bytes, *, binding: str | None = None, nonce: str = "{}") -> bytes:
        """The final message; *binding* and *nonce* replace the correct values.

        In *nonce* braces are the correct value.
        """
        fields = dict(part.split("=", 1) for part in server_first.decode().split(","))
        salted = hashlib.pbkdf2_hmac(
            self._algorithm, self._password, base64.b64decode(fields["s"]), int(fields["i"])
        )
        header = base64.b64encode((self.gs2 if binding is None else binding).encode()).decode()
        without_proof = f"c={header},r={nonce.format(fields['r'])}"
        message = ",".join((self._bare, server_first.decode(), without_proof)).encode()
        client_key = self._mac(salted, b"Client Key")
        signature = self._mac(hashlib.new(self._algorithm, client_key).digest(), message)
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        self._signature = self._mac(self._mac(salted, b"Server Key"), message)
        return f"{without_proof},p={base64.b64encode(proof).decode()}".encode()

    def is_signed(self, server_final: bytes) -> bool:
        """Whether the server's last message proves that it knows the credential."""
        return server_final == b"v=" + base64.b64encode(self._signature)

    def _mac(self, key: bytes, message: bytes) -> bytes:
        return hmac.digest(key, message, self._algorithm)


def salted(mechanism: str, password: str, salt: bytes, iterations: int = ITERATIONS) -> bytes:
    """The salted password that AlterUserScramCredentials sends."""
    return hashlib.pbkdf2_hmac(ALGORITHMS[mechanism], password.encode(), salt, iterations)


def bearer(token: str, *, authzid: str = "", scheme: str = "Bearer", extensions: str = "") -> bytes:
    """The first message of OAUTHBEARER."""
    named = f"a={authzid}" if authzid else ""
    return f"n,{named},\x01auth={scheme} {token}\x01{extensions}\x01".encode()


def unsecured_token(
    subject: str | None, lifetime_s: float = 3600, *, header: Any = None, **claims: Any
) -> str:
    """A token without a signature; claims that are None are left out."""
    now = time.time()
    every = {"sub": subject, "iat": int(now) - 1, "exp": int(now + lifetime_s), **claims}
    kept = {key: value for key, value in every.items() if value is not None}
    return f"{encoded({'alg': 'none'} if header is None else header)}.{encoded(kept)}."


def encoded(value: object) -> str:
    """JSON as a part of a token."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
