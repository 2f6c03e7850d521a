"""Who may ask what: the table of paths, and the checks before any of them is looked up.

A page in the user's browser can send requests to loopback, too. It cannot forge the ``Host``,
``Origin`` and ``Sec-Fetch-Site`` headers. The first two must name the address served, which ends
DNS rebinding and cross-site posts. Browsers send no ``Origin`` with a GET or HEAD whose response
the page does not read, but the third header says that another site sends it. Beyond loopback every
request must bear the token.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

from broker.admin.facts import NotServed
from broker.admin.http import HttpError, HttpRequest, HttpResponse
from broker.admin.query import Query
from broker.common.errors import NoSuchNode, WrongState


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler is given: the parts of the path that its template names, and the query."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Query = field(default_factory=Query)


Handler = Callable[[Call], Awaitable[object]]
# Path -> method -> handler; a part of a path in braces matches any. A GET never changes anything.
Routes = Mapping[str, Mapping[str, Handler]]

_QUERY_FIELDS_MAX = 20
_OTHER_SITE = "requests from other sites are refused"
# Where a browser says that a request comes from: a page of ours, or the user (W3C Fetch Metadata).
_OWN_SITE = frozenset({"same-origin", "none"})


@dataclass(frozen=True, slots=True)
class Gate:
    """What a request must show; ``hosts`` None accepts any, and then there must be a token."""

    hosts: frozenset[str] | None
    token: str | None = None

    def __post_init__(self) -> None:
        assert self.hosts is not None or self.token is not None

    def check(self, request: HttpRequest) -> None:
        """Let the request pass or raise `HttpError`."""
        if self.hosts is not None:
            if request.headers.get("host", "").lower() not in self.hosts:
                raise HttpError(HTTPStatus.FORBIDDEN, "the Host header is not the address served")
            origin = request.headers.get("origin")
            if origin is not None and origin.lower().removeprefix("http://") not in self.hosts:
                raise HttpError(HTTPStatus.FORBIDDEN, _OTHER_SITE)
            if request.headers.get("sec-fetch-site", "none") not in _OWN_SITE:
                raise HttpError(HTTPStatus.FORBIDDEN, _OTHER_SITE)
        if self.token is not None:
            given = request.headers.get("authorization", "").encode()
            if not hmac.compare_digest(given, f"Bearer {self.token}".encode()):
                raise HttpError(
                    HTTPStatus.UNAUTHORIZED,
                    "the bearer token is missing or wrong",
                    **{"WWW-Authenticate": "Bearer"},
                )


class Router:
    """Answers requests from a table, behind a gate."""

    def __init__(self, routes: Routes, gate: Gate) -> None:
        self._routes = routes
        self._gate = gate

    async def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer one request; raises `HttpError`."""
        self._gate.check(request)
        path, query = _split(request.target)
        methods, named = self._find(path)
        handler = methods.get(request.method)
        if handler is None:
            allowed = ", ".join(sorted(methods))
            raise HttpError(
                HTTPStatus.METHOD_NOT_ALLOWED,
                f"{request.method} is not for {path}; {allowed} is",
                Allow=allowed,
            )
        try:
            return HttpResponse(HTTPStatus.OK, await handler(Call(named, query)))
        except NoSuchNode as error:
            raise HttpError(HTTPStatus.NOT_FOUND, str(error)) from None
        except WrongState as error:
            raise HttpError(HTTPStatus.CONFLICT, str(error)) from None
        except NotServed as error:
            raise HttpError(HTTPStatus.NOT_IMPLEMENTED, str(error)) from None

    def _find(self, path: str) -> tuple[Mapping[str, Handler], dict[str, str]]:
        parts = path.split("/")
        for template, methods in self._routes.items():
            named = _match(template.split("/"), parts)
            if named is not None:
                return methods, named
        known = ", ".join(sorted(self._routes))
        raise HttpError(HTTPStatus.NOT_FOUND, f"no such path; there are {known}")


def _match(template: list[str], parts: list[str]) -> dict[str, str] | None:
    """What the braces of *template* stand for in a path, or None if it is another path."""
    if len(template) != len(parts):
        return None
    named = {}
    for wanted, part in zip(template, parts, strict=True):
        if wanted.startswith("{"):
            named[wanted.strip("{}")] = unquote(part)
        elif wanted != part:
            return None
    return named


def _split(target: str) -> tuple[str, Query]:
    try:
        parts = urlsplit(target)
        fields = parse_qsl(
            parts.query,
            keep_blank_values=True,
            strict_parsing=bool(parts.query),
            max_num_fields=_QUERY_FIELDS_MAX,
        )
    except ValueError as error:
        raise HttpError(HTTPStatus.BAD_REQUEST, f"the request target: {error}") from None
    return parts.path, Query(fields)
