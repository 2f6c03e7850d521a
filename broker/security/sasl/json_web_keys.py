"""The keys that verify signed tokens: a JSON web key set (RFC 7517).

PyJWT and cryptography are imported on use: they are in the extra ``antechamber[security]``.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

_SCHEMES: Final = ("file", "http", "https")
_TIMEOUT_S: Final = 10
_BYTES_MAX: Final = 1 << 20
# An unknown key id requests a refresh at most so often.
_EARLY_REFRESH_MS: Final = 60_000

# The signatures of each type of key.
_ALGORITHMS: Final = {
    "RSA": frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}),
    "EC": frozenset({"ES256", "ES384", "ES512", "ES256K"}),
    "OKP": frozenset({"EdDSA"}),
    "oct": frozenset({"HS256", "HS384", "HS512"}),
}


class NoKeys(Exception):  # noqa: N818 - it names the condition
    """The keys cannot be read; the message is one line with the cause."""


def fetch_keys(url: str, tls: ssl.SSLContext | None = None) -> list[Any]:
    """The keys at *url* (``PyJWK``); takes up to 10 s over http; raises `NoKeys`.

    The certificate of an https server is verified by *tls*, by default with the certificates that
    the system trusts.
    """
    try:
        import jwt
    except ImportError:
        raise NoKeys("PyJWT is not installed; install antechamber[security]") from None
    from urllib.error import URLError
    from urllib.request import urlopen  # slow to import, and rarely needed

    if urlsplit(url).scheme not in _SCHEMES:
        raise NoKeys(f"{url} is not a URL with one of {', '.join(_SCHEMES)}")
    try:
        with urlopen(url, timeout=_TIMEOUT_S, context=tls) as response:  # noqa: S310 - checked above
            text = response.read(_BYTES_MAX).decode()
        return list(jwt.PyJWKSet.from_json(text).keys)
    except (OSError, URLError, ValueError) as error:
        raise NoKeys(f"{url} cannot be read: {error}") from None
    except jwt.PyJWTError as error:
        raise NoKeys(f"{url} has no JSON web keys: {error}") from None


class JsonWebKeys:
    """The present keys of ``url``; ``refresh`` is called if a token has an unknown key id.

    ``tls`` as in `fetch_keys`.
    """

    def __init__(
        self, url: str, now_ms: Callable[[], float], tls: ssl.SSLContext | None = None
    ) -> None:
        self.url = url
        self.tls = tls
        self.refresh: Callable[[], object] | None = None
        self._now_ms = now_ms
        self._keys = fetch_keys(url, tls)
        self._early_refresh_ms: float | None = None

    def replace(self, keys: list[Any]) -> None:
        """Use other keys from now on."""
        self._keys = keys

    def candidates(self, key_id: str | None, algorithm: str) -> list[Any]:
        """The keys that may have signed a token; without a key id all that have the algorithm."""
        keys = [key for key in self._keys if key_id is None or key.key_id == key_id]
        if not keys:
            self._refresh_early()
        return [key for key in keys if algorithm in _ALGORITHMS.get(key.key_type, ())]

    def _refresh_early(self) -> None:
        now_ms, last_ms = self._now_ms(), self._early_refresh_ms
        if self.refresh is None or (last_ms is not None and now_ms - last_ms < _EARLY_REFRESH_MS):
            return
        self._early_refresh_ms = now_ms
        self.refresh()
