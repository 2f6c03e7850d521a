"""The address of an admin interface, the token that it requires, and whom its clients trust."""

from __future__ import annotations

import os
import ssl
from urllib.parse import urlsplit

from antechamber.admin_errors import InvalidArgument

ADMIN_URL_DEFAULT = "http://127.0.0.1:9644"
TOKEN_VARIABLE = "ANTECHAMBER_ADMIN_TOKEN"  # noqa: S105 - the name of a variable


class Endpoint:
    """The admin interface at *url*; raises `InvalidArgument`.

    ``token``: the bearer token, if the broker requires one.
    ``ca``: a PEM file with the certificates that ``https`` trusts; by default those of the system.
    """

    def __init__(
        self,
        url: str = ADMIN_URL_DEFAULT,
        *,
        token: str | None = None,
        ca: str | os.PathLike[str] | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.host, self.port = _address(self.url)
        self.headers = {} if token is None else {"Authorization": f"Bearer {_checked(token)}"}
        self.context = _trusting(ca) if self.url.startswith("https:") else None


def _address(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    plain = url.count("/") == 2 and not {"@", "?", "#"} & set(url)
    if host is None or port is None or parts.scheme not in {"http", "https"} or not plain:
        raise InvalidArgument("url", f"{url!r} is not http://HOST:PORT or https://HOST:PORT")
    return host, port


def _checked(token: str) -> str:
    if not (token and token.isascii() and token.isprintable()) or " " in token:
        raise InvalidArgument("token", "it must be one word of ASCII characters")
    return token


def _trusting(ca: str | os.PathLike[str] | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=ca)
    except ssl.SSLError:
        raise InvalidArgument("ca", f"{ca} has no certificate in PEM form") from None
    except OSError as error:
        raise InvalidArgument("ca", f"cannot read {ca}: {error.strerror}") from None
    # As curl and Java: each certificate in the file is trusted, not only those of authorities.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context
