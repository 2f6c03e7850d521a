"""Who may ask what."""

from __future__ import annotations

from http import HTTPStatus

import pytest

from broker.admin.facts import NotServed
from broker.admin.http import HttpError, HttpRequest
from broker.admin.routes import Call, Gate, Router
from broker.common.errors import NoSuchNode, WrongState

pytestmark = pytest.mark.anyio

OPEN = Gate(frozenset({"127.0.0.1:9644"}))


async def things(call: Call) -> object:
    return [call.query.text("a"), call.query.text("b")]


async def thing(call: Call) -> object:
    return dict(call.path)


async def refuse(call: Call) -> object:
    raise {"404": NoSuchNode, "409": WrongState, "501": NotServed}[call.path["status"]]("because")


async def asked(
    method: str = "GET", target: str = "/v1/things", *, gate: Gate = OPEN, **headers: str
) -> tuple[int, object]:
    """The status and value, or the refusal, of one request."""
    routes = {
        "/v1/things": {"GET": things, "POST": things},
        "/v1/things/{id}/turn": {"POST": thing},
        "/v1/refuse/{status}": {"POST": refuse},
    }
    router = Router(routes, gate)
    request = HttpRequest(method, target, {"host": "127.0.0.1:9644", **headers})
    try:
        response = await router(request)
    except HttpError as error:
        return error.status, error.message
    return response.status, response.value


async def test_a_path_leads_to_its_handler() -> None:
    """With its query."""
    assert await asked(target="/v1/things?a=1&b=x%20y") == (200, ["1", "x y"])


async def test_a_part_of_a_path_may_be_named() -> None:
    """What is in braces stands for one part, whatever it is."""
    assert await asked("POST", "/v1/things/x%2Fy/turn") == (200, {"id": "x/y"})
    assert (await asked("POST", "/v1/things/turn"))[0] == 404
    assert (await asked("POST", "/v1/things/a/b/turn"))[0] == 404


@pytest.mark.parametrize("status", [404, 409, 501])
async def test_what_the_broker_refuses_has_a_status(status: int) -> None:
    """No such node, a node in another state, a thing that this version does not do."""
    assert await asked("POST", f"/v1/refuse/{status}") == (status, "because")


async def test_a_parameter_given_twice_is_refused() -> None:
    """Nobody could say which one counts."""
    assert await asked(target="/v1/things?a=1&a=2") == (400, "a is given twice")


async def test_an_unknown_path_is_told_what_there_is() -> None:
    """404 lists the paths."""
    assert await asked(target="/v2") == (
        404,
        "no such path; there are /v1/refuse/{status}, /v1/things, /v1/things/{id}/turn",
    )


async def test_an_unfit_method_is_told_what_is_allowed() -> None:
    """405 names the methods, also in its Allow header."""
    assert await asked("DELETE") == (405, "DELETE is not for /v1/things; GET, POST is")


@pytest.mark.parametrize("target", ["/v1/things?a", "//[", "/v1/things?" + "a=1&" * 30 + "a=1"])
async def test_a_target_that_is_no_url_is_refused(target: str) -> None:
    """400 for what cannot be taken apart."""
    assert (await asked(target=target))[0] == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("host", ["evil.example:9644", "127.0.0.1", "127.0.0.1:80", ""])
async def test_a_foreign_host_is_refused(host: str) -> None:
    """A name that was made to point here is not the address served (DNS rebinding)."""
    assert (await asked(host=host))[0] == HTTPStatus.FORBIDDEN


async def test_a_request_of_another_site_is_refused() -> None:
    """A page elsewhere may post here, but its browser says where the page is from."""
    assert (await asked("POST", origin="http://evil.example"))[0] == HTTPStatus.FORBIDDEN
    assert (await asked("POST", origin="http://127.0.0.1:9644"))[0] == HTTPStatus.OK


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_browser_says_that_another_site_sends_a_request(method: str, site: str) -> None:
    """Also with requests for which it sends no Origin."""
    headers = {"sec-fetch-site": site}
    assert (await asked(method, gate=OPEN, **headers))[0] == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("site", ["same-origin", "none"])
async def test_a_user_may_ask_with_a_browser(site: str) -> None:
    """An address that is typed in comes from no site."""
    headers = {"sec-fetch-site": site}
    assert (await asked(gate=OPEN, **headers))[0] == HTTPStatus.OK


@pytest.mark.parametrize(
    ("header", "status"),
    [({}, 401), ({"authorization": "Bearer wrong"}, 401), ({"authorization": "Bearer t"}, 200)],
)
async def test_beyond_loopback_the_token_counts(header: dict[str, str], status: int) -> None:
    """Any Host will do there, since a rebinding page cannot know the token."""
    gate = Gate(None, "t")

    assert (await asked(gate=gate, **{"host": "any", **header}))[0] == status


def test_a_gate_without_any_check_cannot_be() -> None:
    """Accepting every host needs a token."""
    with pytest.raises(AssertionError):
        Gate(None)
