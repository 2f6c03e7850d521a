"""Credentials of users, as the server stores them, and where logins find them."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final, NamedTuple, Protocol

from broker.security.principal import Principal
from broker.security.sasl.mechanism import SCRAM_SHA_256, SCRAM_SHA_512

# The limits of AlterUserScramCredentials; a login needs the lower one (``ScramMechanism``).
ITERATIONS_MIN: Final = 4096
ITERATIONS_MAX: Final = 16384

# The names by which hashlib knows the hash functions.
HASHES: Final = {SCRAM_SHA_256: "sha256", SCRAM_SHA_512: "sha512"}


class ScramCredential(NamedTuple):
    """What the server stores of a password (RFC 5802, section 3)."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    def __repr__(self) -> str:
        """The keys are secrets."""
        return f"ScramCredential(iterations={self.iterations})"


class TokenCredential(NamedTuple):
    """A delegation token: its HMAC is the password; it expires at ``expires_ms`` (epoch)."""

    owner: Principal
    hmac: bytes
    expires_ms: float

    def __repr__(self) -> str:
        """The HMAC is a secret."""
        return f"TokenCredential(owner={self.owner})"


class CredentialStore(Protocol):
    """The credentials of the cluster."""

    def scram(self, mechanism: str, user: str) -> ScramCredential | None:
        """The credential of *user* for a SCRAM mechanism."""
        ...

    def token(self, token_id: str) -> TokenCredential | None:
        """The delegation token with that id."""
        ...


def salted_password(mechanism: str, password: str, salt: bytes, iterations: int) -> bytes:
    """``SaltedPassword`` of RFC 5802; the password is used as it is, without SASLprep."""
    return hashlib.pbkdf2_hmac(HASHES[mechanism], password.encode(), salt, iterations)


def credential_of(mechanism: str, salted: bytes, salt: bytes, iterations: int) -> ScramCredential:
    """The credential of a salted password."""
    name = HASHES[mechanism]
    client_key = hmac.digest(salted, b"Client Key", name)
    stored_key = hashlib.new(name, client_key).digest()
    return ScramCredential(salt, stored_key, hmac.digest(salted, b"Server Key", name), iterations)


def derive(
    mechanism: str, password: str, salt: bytes, iterations: int = ITERATIONS_MIN
) -> ScramCredential:
    """The credential of *password*; takes 1 to 3 ms with 4096 iterations."""
    salted = salted_password(mechanism, password, salt, iterations)
    return credential_of(mechanism, salted, salt, iterations)
