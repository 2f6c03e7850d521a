"""The messages of SCRAM (RFC 5802, section 7), without channel binding.

client first    n,[a=authorization-id],[m=reserved,]n=name,r=nonce[,extension]*
server first    r=nonce,s=salt,i=iterations
client final    c=header,r=nonce[,extension]*,p=proof
server final    v=signature
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple

from protocol.lazy_pattern import LazyPattern

_NAME = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+"
_NONCE = r"[\x21-\x2b\x2d-\x7e]+"
_VALUE = r"[\x01-\x2b\x2d-\x7f]+"
_EXTENSIONS = rf"(?:,[A-Za-z]+={_VALUE})*"
_BASE64 = r"[A-Za-z0-9+/]*={0,2}"

_CLIENT_FIRST = LazyPattern(
    rf"(?P<header>n,(?:a=(?P<authorization_id>{_NAME}))?,)(?:m={_VALUE},)?"
    rf"(?P<bare>n=(?P<name>{_NAME}),r=(?P<nonce>{_NONCE})(?P<extensions>{_EXTENSIONS}))"
)
_SERVER_FIRST = LazyPattern(
    rf"r=(?P<nonce>{_NONCE}),s=(?P<salt>{_BASE64}),i=(?P<iterations>[0-9]{{1,9}}){_EXTENSIONS}"
)
_CLIENT_FINAL = LazyPattern(
    rf"(?P<unproven>c={_BASE64},r=(?P<nonce>{_NONCE}){_EXTENSIONS}),p=(?P<proof>{_BASE64})"
)
_SERVER_FINAL = LazyPattern(rf"v=(?P<signature>{_BASE64})")


class InvalidMessage(ValueError):  # noqa: N818 - it names the condition
    """Bytes that are not the expected message."""


class ClientFirst(NamedTuple):
    """``bare`` is the part that is signed; ``extensions`` have their values by name."""

    authorization_id: str
    name: str
    nonce: str
    bare: str
    extensions: dict[str, str]


class ServerFirst(NamedTuple):
    """The nonce begins with the client's."""

    nonce: str
    salt: bytes
    iterations: int


class ClientFinal(NamedTuple):
    """``unproven`` is the part that is signed."""

    nonce: str
    unproven: str
    proof: bytes


def parse_client_first(token: bytes) -> ClientFirst:
    """Raises `InvalidMessage`."""
    found = _matched(_CLIENT_FIRST, token)
    pairs = (pair.partition("=") for pair in found["extensions"].split(",") if pair)
    return ClientFirst(
        _unescaped(found["authorization_id"] or ""),
        _unescaped(found["name"]),
        found["nonce"],
        found["bare"],
        {key: value for key, _, value in pairs},
    )


def parse_server_first(token: bytes) -> ServerFirst:
    """Raises `InvalidMessage`."""
    found = _matched(_SERVER_FIRST, token)
    return ServerFirst(found["nonce"], _decoded(found["salt"]), int(found["iterations"]))


def parse_client_final(token: bytes) -> ClientFinal:
    """Raises `InvalidMessage`."""
    found = _matched(_CLIENT_FINAL, token)
    return ClientFinal(found["nonce"], found["unproven"], _decoded(found["proof"]))


def parse_server_final(token: bytes) -> bytes:
    """The signature; raises `InvalidMessage`."""
    return _decoded(_matched(_SERVER_FINAL, token)["signature"])


def server_first(nonce: str, salt: bytes, iterations: int) -> str:
    """The server's first message."""
    return f"r={nonce},s={encoded(salt)},i={iterations}"


def escaped(name: str) -> str:
    """A name as messages contain it."""
    return name.replace("=", "=3D").replace(",", "=2C")


def encoded(data: bytes) -> str:
    """Base64 text."""
    return base64.b64encode(data).decode()


def _unescaped(name: str) -> str:
    return name.replace("=2C", ",").replace("=3D", "=")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise InvalidMessage(str(error)) from None


def _matched(pattern: LazyPattern[str], token: bytes) -> re.Match[str]:
    found = pattern.compiled.fullmatch(token.decode("ascii", errors="replace"))
    if found is None:
        raise InvalidMessage("the message does not follow RFC 5802")
    return found
