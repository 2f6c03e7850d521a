"""Routes requests to handlers, after the checks of who may send them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

from broker.admin.access import AccessRules
from broker.admin.facts.facts import NotServed
from broker.admin.http import HttpError, HttpRequest, HttpResponse, PlainText, Streamed
from broker.admin.json_body import parse_json
from broker.admin.query import Query
from broker.common.errors import InvalidValue, NoSuchNode, NoSuchPartition, NoSuchRule, WrongState
from broker.security.admin_tokens import AdminAccess
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """The argument of a handler: the parts of the request, and what its token allows.

    ``path`` has the named parts of the path, ``query`` the parameters.
    """

    path: Mapping[str, str] = field(default_factory=dict)
    query: Query = field(default_factory=Query)
    body: bytes = b""
    access: AdminAccess = AdminAccess.FULL

    def json(self) -> object:
        """The value of the body; raises `InvalidValue`."""
        return parse_json(self.body)


Handler = Callable[[Call], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ReadsBody:
    """A handler that reads the body of the request; those of other handlers are refused."""

    handler: Handler

    async def __call__(self, call: Call) -> object:
        """Run the handler."""
        return await self.handler(call)


# Path -> method -> handler. A part in braces matches any text. A GET never changes anything; its
# handler also serves HEAD, whose response is sent without the body.
Routes = Mapping[str, Mapping[str, Handler]]
# Path -> response to a GET that needs no token: it is the same for everybody.
Files = Mapping[str, HttpResponse]

_QUERY_FIELDS_MAX = 20


class Router:
    """Calls the handlers of a table for requests that pass the access rules."""

    def __init__(self, routes: Routes, rules: AccessRules, files: Files | None = None) -> None:
        self._routes = routes
        self._rules = rules
        self._files = {} if files is None else files

    async def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response of one request; raises `HttpError`."""
        if request.method in {"GET", "HEAD"} and request.target in self._files:
            self._rules.check_host(request)
            return self._files[request.target]
        access = self._rules.check(request)
        path, query = _split(request.target)
        methods, named = self._find(path)
        is_head = request.method == "HEAD"
        handler = methods.get("GET" if is_head else request.method)
        if handler is None:
            heads = {"HEAD"} if "GET" in methods else set()
            allowed = ", ".join(sorted({*methods, *heads}))
            raise HttpError(
                HTTPStatus.METHOD_NOT_ALLOWED,
                f"{path} does not allow {request.method}, only {allowed}",
                Allow=allowed,
            )
        if request.body and not isinstance(handler, ReadsBody):
            raise HttpError(
                HTTPStatus.BAD_REQUEST, "a body is not read; give parameters in the URL"
            )
        try:
            call = Call(named, query, request.body, access)
            value = await handler(call)
        except InvalidValue as error:
            raise HttpError(HTTPStatus.BAD_REQUEST, str(error)) from None
        except (NoSuchNode, NoSuchPartition, NoSuchRule) as error:
            raise HttpError(HTTPStatus.NOT_FOUND, str(error)) from None
        except WrongState as error:
            raise HttpError(HTTPStatus.CONFLICT, str(error)) from None
        except NotServed as error:
            raise HttpError(HTTPStatus.NOT_IMPLEMENTED, str(error)) from None
        if is_head and isinstance(value, Streamed):
            value = PlainText("", value.content_type)  # a stream has no end
        return HttpResponse(HTTPStatus.OK, value)

    def _find(self, path: str) -> tuple[Mapping[str, Handler], dict[str, str]]:
        parts = path.split("/")
        for template, methods in self._routes.items():
            named = _match(template.split("/"), parts)
            if named is not None:
                return methods, named
        known = ", ".join(sorted(self._routes))
        raise HttpError(HTTPStatus.NOT_FOUND, f"no such path; there are {known}")


def _match(template: list[str], parts: list[str]) -> dict[str, str] | None:
    """The text of each part in braces; None if the path does not match *template*."""
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
