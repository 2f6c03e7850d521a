"""Signed JSON web tokens (``OAuthBearerValidatorCallbackHandler``, KIP-768).

header --> the keys with its id --> signature --> exp, iat, sub --> audience, issuer, scopes
"""

from __future__ import annotations

from collections.abc import Callable

from broker.security.sasl.bearer import BearerToken, InvalidToken
from broker.security.sasl.claims import Claims, decoded_part, list_claim, text_claim, time_claim
from broker.security.sasl.json_web_keys import JsonWebKeys
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True)
class SignedTokens:
    """Validates tokens; ``audiences`` and ``issuer`` are not checked if empty or None.

    Times are in milliseconds; ``clock_skew_ms`` applies to ``exp`` and ``nbf``.
    """

    keys: JsonWebKeys
    wall_ms: Callable[[], float]
    audiences: frozenset[str] = frozenset()
    issuer: str | None = None
    clock_skew_ms: int = 30_000
    scope_claim: str = "scope"
    principal_claim: str = "sub"

    def __call__(self, token: str) -> BearerToken:
        """The content of *token*; raises `InvalidToken`."""
        parts = token.split(".")
        if len(parts) != 3 or not parts[2]:
            raise InvalidToken("it does not have two parts and a signature")
        self._check_signature(token, decoded_part(parts[0]))
        claims = decoded_part(parts[1])
        expires_ms = self._checked_times(claims)
        self._check_origin(claims)
        scopes = list_claim(claims, self.scope_claim)
        if len(set(scopes)) < len(scopes):
            raise InvalidToken("a scope occurs twice")
        return BearerToken(text_claim(claims, self.principal_claim), expires_ms)

    def _check_signature(self, token: str, header: Claims) -> None:
        import jwt

        algorithm, key_id = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or not isinstance(key_id, str | None):
            raise InvalidToken("its header has no alg, or a kid that is not a text")
        candidates = self.keys.candidates(key_id, algorithm)
        if not candidates:
            raise InvalidToken(f"no key of {self.keys.url} has its kid and algorithm")
        for key in candidates:
            try:
                jwt.PyJWS().decode(token, key.key, algorithms=[algorithm])
            except jwt.PyJWTError:
                continue
            except (TypeError, ValueError):  # a key that does not have the curve of the algorithm
                continue
            return
        raise InvalidToken("its signature is not valid")

    def _checked_times(self, claims: Claims) -> float:
        """The time at which the token expires."""
        now_ms, skew_ms = self.wall_ms(), self.clock_skew_ms
        issued_ms, expires_ms = time_claim(claims, "iat"), time_claim(claims, "exp")
        if expires_ms is None or issued_ms is None:
            raise InvalidToken("it has no claims exp and iat")
        if expires_ms < issued_ms or now_ms >= expires_ms + skew_ms:
            raise InvalidToken("it has expired")
        begins_ms = time_claim(claims, "nbf")
        if begins_ms is not None and now_ms < begins_ms - skew_ms:
            raise InvalidToken("it is not valid yet")
        return expires_ms

    def _check_origin(self, claims: Claims) -> None:
        if self.audiences and self.audiences.isdisjoint(list_claim(claims, "aud")):
            raise InvalidToken("it has another audience")
        if self.issuer is not None and claims.get("iss") != self.issuer:
            raise InvalidToken("it has another issuer")
