"""SCRAM: the client proves that it knows its password (RFC 5802, ``ScramSaslServer``).

    client first --> look up the credential --> server first
    client final --> check the proof ---------> server final

A delegation token logs in with its id as the name, its HMAC in Base64 as the password, and the
extension ``tokenauth=true`` (KIP-48).

Messages are signed as they were received. Kafka rebuilds them, and therefore refuses some clients
with extensions, which log in here.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from broker.security.principal import user
from broker.security.sasl.credentials import (
    HASHES,
    ITERATIONS_MIN,
    CredentialStore,
    ScramCredential,
    derive,
    salted_password,
)
from broker.security.sasl.mechanism import AuthenticationFailed, Login
from broker.security.sasl.plain import WRONG_AUTHORIZATION_ID
from broker.security.sasl.scram_messages import (
    ClientFirst,
    InvalidMessage,
    encoded,
    escaped,
    parse_client_final,
    parse_client_first,
    parse_server_final,
    parse_server_first,
    server_first,
)

_NONCE_BYTES = 18
_SALT_BYTES = 16
_TOKEN_EXTENSION = "tokenauth"  # noqa: S105 - the name of an extension
# The Base64 text of the header ``n,,``: no channel binding.
_NO_BINDING = "biws"


def new_nonce() -> str:
    """A nonce of 144 random bits."""
    return secrets.token_urlsafe(_NONCE_BYTES)


def new_salt() -> bytes:
    """The salt of a new credential."""
    return secrets.token_bytes(_SALT_BYTES)


class ScramServer:
    """The server's side of *mechanism*."""

    def __init__(self, mechanism: str, store: CredentialStore) -> None:
        self.login: Login | None = None
        self._mechanism = mechanism
        self._store = store
        self._nonce = ""
        # Known after the client's first message: what a valid proof leads to, what it proves, and
        # the signed messages so far.
        self._accepted: Login | None = None
        self._credential: ScramCredential | None = None
        self._signed = ""

    def evaluate(self, token: bytes) -> bytes:
        """See `SaslServer.evaluate`."""
        try:
            return self._first(token) if self._credential is None else self._final(token)
        except InvalidMessage as error:
            raise AuthenticationFailed(str(error)) from None

    def _first(self, token: bytes) -> bytes:
        message = parse_client_first(token)
        self._accepted, self._credential = self._look_up(message)
        if message.authorization_id not in ("", message.name):
            raise AuthenticationFailed(
                f"user {message.name!r} requests another authorization id", WRONG_AUTHORIZATION_ID
            )
        if self._credential.iterations < ITERATIONS_MIN:
            raise AuthenticationFailed(f"the credential has less than {ITERATIONS_MIN} iterations")
        self._nonce = message.nonce + new_nonce()
        first = server_first(self._nonce, self._credential.salt, self._credential.iterations)
        self._signed = f"{message.bare},{first}"
        return first.encode()

    def _look_up(self, message: ClientFirst) -> tuple[Login, ScramCredential]:
        """What a valid proof leads to, and the credential of the proof."""
        name = message.name
        if message.extensions.get(_TOKEN_EXTENSION, "").lower() == "true":
            found = self._store.token(name)
            if found is None:
                raise AuthenticationFailed(f"unknown delegation token {name!r}")
            login = Login(found.owner, found.expires_ms, is_token_authenticated=True)
            return login, derive(self._mechanism, encoded(found.hmac), new_salt())
        credential = self._store.scram(self._mechanism, name)
        if credential is None:
            raise AuthenticationFailed(f"unknown user {name!r}")
        return Login(user(name)), credential

    def _final(self, token: bytes) -> bytes:
        message = parse_client_final(token)
        credential, accepted = self._credential, self._accepted
        assert credential is not None
        assert accepted is not None
        if message.nonce != self._nonce:
            raise AuthenticationFailed("the nonce is not the server's")
        name = HASHES[self._mechanism]
        signed = f"{self._signed},{message.unproven}".encode()
        signature = hmac.digest(credential.stored_key, signed, name)
        if len(message.proof) != len(signature):
            raise AuthenticationFailed("the proof has the wrong length")
        client_key = _xor(message.proof, signature)
        if not hmac.compare_digest(hashlib.new(name, client_key).digest(), credential.stored_key):
            raise AuthenticationFailed(f"wrong password of {accepted.principal}")
        self.login = accepted
        return f"v={encoded(hmac.digest(credential.server_key, signed, name))}".encode()


class ScramClient:
    """The client's side of *mechanism*."""

    def __init__(self, mechanism: str, name: str, password: str, *, is_token: bool = False) -> None:
        self.mechanism = mechanism
        self.is_complete = False
        self._password = password
        self._nonce = new_nonce()
        self._bare = f"n={escaped(name)},r={self._nonce}"
        if is_token:
            self._bare += f",{_TOKEN_EXTENSION}=true"
        self._signature: bytes | None = None  # the server's, once it is known

    def first(self) -> bytes:
        """The client's first message."""
        return f"n,,{self._bare}".encode()

    def evaluate(self, challenge: bytes) -> bytes | None:
        """See `SaslClient.evaluate`."""
        try:
            if self._signature is None:
                return self._final(challenge)
            if not hmac.compare_digest(parse_server_final(challenge), self._signature):
                raise AuthenticationFailed("the server does not know the password")
        except InvalidMessage as error:
            raise AuthenticationFailed(str(error)) from None
        self.is_complete = True
        return None

    def _final(self, challenge: bytes) -> bytes:
        message = parse_server_first(challenge)
        if not message.nonce.startswith(self._nonce):
            raise AuthenticationFailed("the nonce does not begin with the client's")
        if message.iterations < ITERATIONS_MIN:
            raise AuthenticationFailed(f"less than {ITERATIONS_MIN} iterations are requested")
        name = HASHES[self.mechanism]
        salted = salted_password(self.mechanism, self._password, message.salt, message.iterations)
        unproven = f"c={_NO_BINDING},r={message.nonce}"
        signed = f"{self._bare},{challenge.decode()},{unproven}".encode()
        client_key = hmac.digest(salted, b"Client Key", name)
        stored_key = hashlib.new(name, client_key).digest()
        self._signature = hmac.digest(hmac.digest(salted, b"Server Key", name), signed, name)
        proof = _xor(client_key, hmac.digest(stored_key, signed, name))
        return f"{unproven},p={encoded(proof)}".encode()


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(left, right, strict=True))
