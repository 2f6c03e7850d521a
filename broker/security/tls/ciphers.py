"""Cipher suites by their IANA names, as in ``ssl.cipher.suites``; OpenSSL has names of its own."""

from __future__ import annotations

import ssl
from collections.abc import Sequence

from broker.common.errors import StartupError
from protocol.lazy_pattern import LazyPattern

_NAME = LazyPattern(r"TLS_(?:(\w+)_WITH_)(\w+)")
_ENCRYPTION = LazyPattern(r"(AES|ARIA|CAMELLIA)_(\d+)")


def openssl_name(suite: str) -> str | None:
    """OpenSSL's name of a suite of TLS 1.2; None if *suite* has no name of that form."""
    found = _NAME.compiled.fullmatch(suite)
    if found is None:
        return None
    exchange, rest = found.groups()
    rest = _ENCRYPTION.compiled.sub(r"\1\2", rest).replace("_CBC", "")
    if rest.startswith("CHACHA20_POLY1305"):
        rest = "CHACHA20_POLY1305"
    name = rest if exchange == "RSA" else f"{exchange}_{rest}"
    return name.replace("_", "-")


def restrict(context: ssl.SSLContext, suites: Sequence[str], listener: str) -> None:
    """Allow only *suites* (empty: all); raises `StartupError` for an unknown one.

    Python cannot select suites of TLS 1.3: if one is given, all of them are allowed, and if none is
    given, TLS 1.3 is not.
    """
    if not suites:
        return
    with_1_3 = {each["name"] for each in context.get_ciphers() if each["protocol"] == "TLSv1.3"}
    names = {suite: openssl_name(suite) for suite in suites if suite not in with_1_3}
    for suite, name in names.items():
        try:
            context.set_ciphers(name or "no such suite")
        except ssl.SSLError:
            raise StartupError(
                f"listener {listener}: ssl.cipher.suites has {suite}, which OpenSSL does not have; "
                "give IANA names, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
            ) from None
    if names:
        context.set_ciphers(":".join(map(str, names.values())))
    else:
        context.minimum_version = ssl.TLSVersion.TLSv1_3
    if len(names) == len(suites):
        context.maximum_version = min(context.maximum_version, ssl.TLSVersion.TLSv1_2)
