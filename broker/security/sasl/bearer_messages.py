"""The messages of OAUTHBEARER (RFC 7628): a token, an error, and the response to the error."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from protocol.lazy_pattern import LazyPattern

_SEPARATOR: Final = "\x01"
_NAME = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+"
_PAIR = r"[A-Za-z]+=[\x21-\x7e \t\r\n]+"
_FIRST = LazyPattern(rf"n,(?:a=(?P<authorization_id>{_NAME}))?,\x01(?P<pairs>(?:{_PAIR}\x01)+)\x01")
_AUTHORIZATION = LazyPattern(r"(?P<scheme>\w+) +(?P<token>[-_~+/.a-zA-Z0-9]+=*)")

# The response of a client to an error (RFC 7628, section 3.2.3).
ERROR_RECEIVED: Final = b"\x01"


class InvalidMessage(ValueError):  # noqa: N818 - it names the condition
    """Bytes that are not the expected message."""


class BearerMessage(NamedTuple):
    """A token, and the name that the client requests, which may be empty."""

    token: str
    authorization_id: str


def parse_first(message: bytes) -> BearerMessage:
    """The client's message with its token; raises `InvalidMessage`."""
    found = _FIRST.compiled.fullmatch(message.decode("ascii", errors="replace"))
    if found is None:
        raise InvalidMessage("the message does not follow RFC 7628")
    pairs = (pair.partition("=") for pair in found["pairs"].split(_SEPARATOR) if pair)
    authorization = _AUTHORIZATION.compiled.fullmatch(
        {key: value for key, _, value in pairs}.get("auth", "")
    )
    if authorization is None or authorization["scheme"].lower() != "bearer":
        raise InvalidMessage("the message has no bearer token")
    requested = (found["authorization_id"] or "").replace("=2C", ",").replace("=3D", "=")
    return BearerMessage(authorization["token"], requested)


def first_message(token: str) -> bytes:
    """The client's message."""
    return f"n,,{_SEPARATOR}auth=Bearer {token}{_SEPARATOR}{_SEPARATOR}".encode()


def error_message(scope: str | None) -> str:
    """The server's error: the token is invalid, or lacks *scope*."""
    if scope is None:
        return '{"status":"invalid_token"}'
    return f'{{"status":"insufficient_scope", "scope":{json.dumps(scope)}}}'
