"""Who may send which requests.

On loopback a token is optional. There a page in the user's browser can send requests, too. It
cannot forge the ``Host``, ``Origin`` and ``Sec-Fetch-Site`` headers. The first two must name the
address served, which prevents DNS rebinding and cross-site posts. Browsers send no ``Origin`` with
a GET or HEAD whose response the page does not read, but ``Sec-Fetch-Site`` shows that another site
sends it.

On other addresses each request must have a token, which a page of another site does not have. The
names of these addresses are not known.
"""

from __future__ import annotations

from http import HTTPStatus
from ipaddress import ip_address

from broker.admin.http import HttpError, HttpRequest
from broker.security.admin_tokens import NO_TOKENS, AdminAccess, AdminTokens
from broker.security.listeners.hosts import host_and_port
from protocol.lazy_dataclass import dataclass

_OTHER_SITE = "requests from other sites are refused"
# The values for a page of this server and for the user (W3C Fetch Metadata).
_OWN_SITE = frozenset({"same-origin", "none"})
_READING = frozenset({"GET", "HEAD"})
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What a request must have; ``hosts`` None accepts any, and then a token is needed."""

    hosts: frozenset[str] | None
    tokens: AdminTokens = NO_TOKENS

    def __post_init__(self) -> None:
        assert self.hosts is not None or self.tokens.are_required

    def check(self, request: HttpRequest) -> AdminAccess:
        """What the request may do; raises `HttpError` unless it may be served."""
        if self.hosts is not None:
            _check_site(request, self.hosts)
        access = self._check_token(request)
        _check_content_type(request)
        return access

    def check_host(self, request: HttpRequest) -> None:
        """Raise `HttpError` unless a public file may be served under this name."""
        if self.hosts is not None:
            _check_host(request, self.hosts)

    def _check_token(self, request: HttpRequest) -> AdminAccess:
        access = self.tokens.access(request.headers.get("authorization", ""))
        if access is AdminAccess.NONE:
            raise HttpError(
                HTTPStatus.UNAUTHORIZED,
                "the bearer token is missing or wrong",
                **{"WWW-Authenticate": "Bearer"},
            )
        if access is AdminAccess.READ and request.method not in _READING:
            raise HttpError(
                HTTPStatus.FORBIDDEN, f"the token is read-only and does not allow {request.method}"
            )
        return access


def access_rules(address: tuple[str, int], tokens: AdminTokens) -> AccessRules:
    """The rules for requests to *address*."""
    host, port = address
    if not ip_address(host.partition("%")[0]).is_loopback:
        return AccessRules(None, tokens)
    return AccessRules(frozenset(host_and_port(name, port) for name in (host, *_LOOPBACK)), tokens)


def _check_host(request: HttpRequest, hosts: frozenset[str]) -> None:
    if request.headers.get("host", "").lower() not in hosts:
        raise HttpError(HTTPStatus.FORBIDDEN, "the Host header is not the address served")


def _check_site(request: HttpRequest, hosts: frozenset[str]) -> None:
    _check_host(request, hosts)
    origin = request.headers.get("origin")
    if origin is not None and origin.lower().partition("://")[2] not in hosts:
        raise HttpError(HTTPStatus.FORBIDDEN, _OTHER_SITE)
    if request.headers.get("sec-fetch-site", "none") not in _OWN_SITE:
        raise HttpError(HTTPStatus.FORBIDDEN, _OTHER_SITE)


def _check_content_type(request: HttpRequest) -> None:
    """Refuse the content types of forms, which any page can send."""
    content_type = request.headers.get("content-type", "application/json")
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise HttpError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "the Content-Type can only be application/json",
        )
