"""Unsecured JSON web tokens, which everybody can make: for tests (KIP-255).

The rules are those of ``OAuthBearerUnsecuredValidatorCallbackHandler``; its options are in the JAAS
line of OAUTHBEARER, as are those of ``OAuthBearerUnsecuredLoginCallbackHandler``, which makes
tokens.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from broker.security.sasl.bearer import BearerToken, InvalidToken
from broker.security.sasl.claims import (
    Claims,
    decoded_object,
    list_claim,
    text_claim,
    time_claim,
)
from protocol.lazy_dataclass import dataclass

_VALIDATOR = "unsecuredValidator"
_LOGIN = "unsecuredLogin"
_LIFETIME_S = 3600


class InvalidOption(ValueError):  # noqa: N818 - it names the condition
    """An option of a JAAS line is invalid."""


@dataclass(frozen=True)
class UnsecuredTokens:
    """Validates tokens; times are in milliseconds."""

    wall_ms: Callable[[], float]
    principal_claim: str = "sub"
    scope_claim: str = "scope"
    required_scope: tuple[str, ...] = ()
    clock_skew_ms: int = 0

    @classmethod
    def of(cls, options: Mapping[str, str], wall_ms: Callable[[], float]) -> UnsecuredTokens:
        """From the options of a JAAS line; raises `InvalidOption`."""
        key = f"{_VALIDATOR}AllowableClockSkewMs"
        return cls(
            wall_ms,
            options.get(f"{_VALIDATOR}PrincipalClaimName") or "sub",
            options.get(f"{_VALIDATOR}ScopeClaimName") or "scope",
            tuple(options.get(f"{_VALIDATOR}RequiredScope", "").split()),
            _whole_number(options, key, 0),
        )

    def __call__(self, token: str) -> BearerToken:
        """The content of *token*; raises `InvalidToken`."""
        parts = token.split(".")
        if len(parts) != 3 or parts[2]:
            raise InvalidToken("it does not have two parts and an empty signature")
        if _decoded(parts[0]).get("alg") != "none":
            raise InvalidToken("the algorithm of its header is not none")
        claims = _decoded(parts[1])
        now_ms, skew_ms = self.wall_ms(), self.clock_skew_ms
        name = text_claim(claims, self.principal_claim)
        issued_ms, expires_ms = time_claim(claims, "iat"), time_claim(claims, "exp")
        if expires_ms is None or now_ms >= expires_ms + skew_ms:
            raise InvalidToken("it has expired, or has no claim exp")
        if issued_ms is not None and (now_ms < issued_ms - skew_ms or issued_ms >= expires_ms):
            raise InvalidToken("its claim iat is in the future, or not before exp")
        scopes = [each.strip() for each in list_claim(claims, self.scope_claim)]
        if not set(self.required_scope).issubset(scopes):
            required = " ".join(self.required_scope)
            raise InvalidToken(f"it lacks the scope {required}", required)
        return BearerToken(name, expires_ms)


def _decoded(text: str) -> Claims:
    """The claims of one part as Kafka reads them; raises `InvalidToken`.

    A claim is a number, a list of texts, or else a text. What follows the object is ignored.
    """
    claims, _ = decoded_object(text)
    return {name: _converted(value) for name, value in claims.items()}


def _converted(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(each) for each in value]
    return value if isinstance(value, int | float) and not isinstance(value, bool) else _text(value)


def _text(value: Any) -> str:
    """A value as text (Jackson's ``asText``); lists and objects are empty."""
    if isinstance(value, list | dict):
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def unsecured_token(options: Mapping[str, str], wall_ms: float) -> str:
    """A new token with the claims of a JAAS line; raises `InvalidOption`."""
    lifetime_s = _whole_number(options, f"{_LOGIN}LifetimeSeconds", _LIFETIME_S)
    principal_claim = options.get(f"{_LOGIN}PrincipalClaimName") or "sub"
    now_s = wall_ms / 1000
    claims: dict[str, Any] = {"iat": now_s, "exp": now_s + lifetime_s}
    for key, value in options.items():
        if key.startswith(text := f"{_LOGIN}StringClaim_"):
            claims[key.removeprefix(text)] = value
        elif key.startswith(number := f"{_LOGIN}NumberClaim_"):
            claims[key.removeprefix(number)] = _number(key, value)
        elif key.startswith(many := f"{_LOGIN}ListClaim_"):
            # The first character separates the values.
            claims[key.removeprefix(many)] = value[1:].split(value[:1]) if value else []
    if not isinstance(claims.get(principal_claim), str) or not claims[principal_claim]:
        raise InvalidOption(f"{_LOGIN}StringClaim_{principal_claim} is missing")
    return f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."


def _encoded(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def _whole_number(options: Mapping[str, str], key: str, default: int) -> int:
    text = options.get(key) or str(default)
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise InvalidOption(f"{key} is not a whole number")
    return int(text)


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidOption(f"{key} is not a number") from None
