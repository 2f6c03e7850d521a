"""The claims of a JSON web token, and the rules that both kinds of tokens have in common."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, Final

from broker.security.sasl.bearer import InvalidToken

Claims = dict[str, Any]

_BLANKS: Final = " \t\r\n"
_NO_JSON: Final = "a part of it is not JSON in Base64"


def decoded_part(text: str) -> Claims:
    """The JSON object of one part of a token; raises `InvalidToken`."""
    claims, rest = decoded_object(text)
    if rest.strip(_BLANKS):
        raise InvalidToken(_NO_JSON)
    return claims


def decoded_object(text: str) -> tuple[Claims, str]:
    """The JSON object with which one part of a token begins, and what follows it.

    Raises `InvalidToken`.
    """
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        decoded = raw.decode(json.detect_encoding(raw)).lstrip(_BLANKS)
        value, end = _DECODER.raw_decode(decoded)
    except (binascii.Error, ValueError, RecursionError):
        raise InvalidToken(_NO_JSON) from None
    if not isinstance(value, dict):
        raise InvalidToken("a part of it is not a JSON object")
    return value, decoded[end:]


def _refuse_constant(name: str) -> None:
    """NaN and the infinities are no JSON."""
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)


def text_claim(claims: Claims, name: str) -> str:
    """A text that is not blank; raises `InvalidToken`."""
    value = claims.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidToken(f"the claim {name} is not a text")
    return value


def time_claim(claims: Claims, name: str) -> float | None:
    """A time in milliseconds since the Unix epoch, None if absent; raises `InvalidToken`."""
    value = claims.get(name)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > 1e15:
        raise InvalidToken(f"the claim {name} is not a time")
    return float(value) * 1000


def list_claim(claims: Claims, name: str) -> list[str]:
    """A list of texts; a text is a list of one; raises `InvalidToken`."""
    value = claims.get(name, [])
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InvalidToken(f"the claim {name} is not a list of texts")
    return value
