"""The claims of a JSON web token, and the rules that both kinds of tokens have in common."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from broker.security.sasl.bearer import InvalidToken

Claims = dict[str, Any]


def decoded_part(text: str) -> Claims:
    """The JSON object of one part of a token; raises `InvalidToken`."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        value = json.loads(raw)
    except (binascii.Error, ValueError, RecursionError):
        raise InvalidToken("a part of it is not JSON in Base64") from None
    if not isinstance(value, dict):
        raise InvalidToken("a part of it is not a JSON object")
    return value


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
