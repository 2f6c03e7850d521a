"""Routes: paths, methods and parameters."""

from __future__ import annotations

from http import HTTPStatus

import anyio
import pytest

from broker.admin.access import AccessRules
from broker.admin.facts.facts import NotServed
from broker.admin.http import HttpError, HttpRequest, PlainText, Streamed
from broker.admin.routes import Call, ReadsBody, Router, Routes
from broker.common.errors import InvalidValue, NoSuchNode, WrongState

pytestmark = pytest.mark.anyio


async def things(call: Call) -> object:
    """The parameters a and b."""
    return [call.query.text("a"), call.query.text("b")]


async def thing(call: Call) -> object:
    """The named parts of the path."""
    return dict(call.path)


async def refuse(call: Call) -> object:
    """Raise the exception for a status."""
    raise {
        "400": InvalidValue,
        "404": NoSuchNode,
        "409": WrongState,
        "501": NotServed,
    }[call.path["status"]]("because")


async def read(call: Call) -> object:
    """The body."""
    return call.json()


async def follow(_: Call) -> object:
    """A stream."""
    return Streamed(lambda _: anyio.sleep_forever(), "text/event-stream")


async def request(
    method: str = "GET", target: str = "/v1/things", body: bytes = b""
) -> tuple[int, object]:
    """The status, and the value or the message, of one request."""
    routes: Routes = {
        "/v1/things": {"GET": things, "POST": things},
        "/v1/things/{id}/start": {"POST": thing},
        "/v1/refuse/{status}": {"POST": refuse},
        "/v1/read": {"POST": ReadsBody(read)},
        "/v1/follow": {"GET": follow},
    }
    router = Router(routes, AccessRules(frozenset({"h"})))
    try:
        response = await router(HttpRequest(method, target, {"host": "h"}, body))
    except HttpError as error:
        return error.status, error.message
    return response.status, response.value


async def test_a_path_selects_its_handler() -> None:
    """The handler gets the parameters."""
    assert await request(target="/v1/things?a=1&b=x%20y") == (200, ["1", "x y"])


async def test_a_head_request_has_the_response_of_a_get() -> None:
    """It is sent without the body, so a stream ends at once."""
    assert await request("HEAD", "/v1/things?a=1&b=x") == (200, ["1", "x"])
    assert await request("HEAD", "/v1/follow") == (200, PlainText("", "text/event-stream"))
    assert (await request("HEAD", "/v1/read"))[0] == 405


async def test_a_part_of_a_path_may_be_named() -> None:
    """A name in braces matches one part with any text."""
    assert await request("POST", "/v1/things/x%2Fy/start") == (200, {"id": "x/y"})
    assert (await request("POST", "/v1/things/start"))[0] == 404
    assert (await request("POST", "/v1/things/a/b/start"))[0] == 404


@pytest.mark.parametrize("status", [400, 404, 409, 501])
async def test_an_exception_of_the_broker_has_a_status(status: int) -> None:
    """No such node, a node in another state, something that is not recorded."""
    assert await request("POST", f"/v1/refuse/{status}") == (status, "because")


async def test_a_parameter_given_twice_is_refused() -> None:
    """The query is ambiguous."""
    assert await request(target="/v1/things?a=1&a=2") == (400, "a is given twice")


async def test_a_body_that_is_not_read_is_refused() -> None:
    """Its parameters would have no effect."""
    assert await request("POST", body=b"{}") == (
        400,
        "a body is not read; give parameters in the URL",
    )
    assert await request("POST", "/v1/read", body=b'{"a": 1}') == (200, {"a": 1})


async def test_an_unknown_path_is_refused() -> None:
    """The message of the 404 has the known paths."""
    paths = "/v1/follow, /v1/read, /v1/refuse/{status}, /v1/things, /v1/things/{id}/start"
    assert await request(target="/v2") == (404, f"no such path; there are {paths}")


async def test_a_method_that_is_not_allowed_is_refused() -> None:
    """The message of the 405 has the allowed methods."""
    words = "/v1/things does not allow DELETE, only GET, HEAD, POST"
    assert await request("DELETE") == (405, words)


@pytest.mark.parametrize("target", ["/v1/things?a", "//[", "/v1/things?" + "a=1&" * 30 + "a=1"])
async def test_an_invalid_target_is_refused(target: str) -> None:
    """The status is 400."""
    assert (await request(target=target))[0] == HTTPStatus.BAD_REQUEST


async def test_a_request_that_may_not_be_sent_has_no_other_response() -> None:
    """The path is not looked up before."""
    router = Router({}, AccessRules(frozenset({"h"})))

    with pytest.raises(HttpError) as refused:
        await router(HttpRequest("GET", "/", {"host": "other"}))

    assert refused.value.status == HTTPStatus.FORBIDDEN
