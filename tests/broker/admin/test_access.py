"""Who may send which requests to the admin interface."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType

import pytest

from broker.admin.access import AccessRules
from broker.admin.http import HttpError, HttpRequest
from broker.security.admin_tokens import AdminTokens

LOOPBACK = AccessRules(frozenset({"127.0.0.1:9644"}))
TOKENS = AdminTokens("all-4711", "reads-0815")
ELSEWHERE = AccessRules(None, TOKENS)


def status(
    method: str = "GET",
    headers: Mapping[str, str] = MappingProxyType({}),
    *,
    rules: AccessRules = LOOPBACK,
    body: bytes = b"",
) -> int:
    """The status of the refusal, or 200."""
    given = {"host": "127.0.0.1:9644", **headers}
    try:
        rules.check(HttpRequest(method, "/v1/cluster", given, body))
    except HttpError as refusal:
        return refusal.status
    return HTTPStatus.OK


@pytest.mark.parametrize("host", ["evil.example:9644", "127.0.0.1", "127.0.0.1:80", ""])
def test_another_host_is_refused(host: str) -> None:
    """Another name that resolves to the address is refused as well (DNS rebinding)."""
    assert status("GET", {"host": host}) == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://evil.example:9644", "null", "", "127.0.0.1:9644"]
)
def test_a_request_of_another_site_is_refused(method: str, origin: str) -> None:
    """The browser sends the site of the page in Origin; that of a local file is null."""
    assert status(method, {"origin": origin}) == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_request_of_a_page_of_the_interface_is_allowed(scheme: str) -> None:
    """Its Origin has the address that is served."""
    assert status("POST", {"origin": f"{scheme}://127.0.0.1:9644"}) == HTTPStatus.OK


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_that_a_browser_sends_for_another_site_is_refused(method: str, site: str) -> None:
    """Sec-Fetch-Site shows it also for requests without Origin."""
    assert status(method, {"sec-fetch-site": site}) == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_a_user_may_use_a_browser(site: str) -> None:
    """For a typed address, Sec-Fetch-Site is ``none``."""
    assert status("GET", {"sec-fetch-site": site}) == HTTPStatus.OK


@pytest.mark.parametrize(
    ("authorization", "get", "post"),
    [
        ("", 401, 401),
        ("Bearer wrong", 401, 401),
        ("Bearer", 401, 401),
        ("Basic all-4711", 401, 401),
        ("all-4711", 401, 401),
        ("Bearer all-4711", 200, 200),
        ("bearer all-4711", 200, 200),
        ("Bearer reads-0815", 200, 403),
    ],
)
@pytest.mark.parametrize("rules", [ELSEWHERE, AccessRules(LOOPBACK.hosts, TOKENS)])
def test_the_token_determines_what_a_request_may_do(
    rules: AccessRules, authorization: str, get: int, post: int
) -> None:
    """401 without one of the tokens, 403 for a change with the read-only token."""
    header = {"authorization": authorization} if authorization else {}

    assert (status("GET", header, rules=rules), status("POST", header, rules=rules)) == (get, post)


def test_only_a_get_or_head_is_reading() -> None:
    """Other methods are refused, also those that no path has."""
    header = {"authorization": "Bearer reads-0815"}
    refused = {
        method: status(method, header, rules=ELSEWHERE)
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "get", "OPTIONS")
    }

    assert {method for method, code in refused.items() if code == 200} == {"GET", "HEAD"}
    assert set(refused.values()) == {200, 403}


def test_other_addresses_than_loopback_accept_any_host() -> None:
    """Their names are not known, and a page of another site does not have the token."""
    header = {"host": "broker.example", "authorization": "Bearer all-4711"}

    assert status("GET", header, rules=ELSEWHERE) == HTTPStatus.OK


def test_the_status_401_names_the_scheme() -> None:
    """As RFC 9110 requires; the message has neither token."""
    with pytest.raises(HttpError) as refused:
        ELSEWHERE.check(HttpRequest("GET", "/", {"authorization": "Bearer guess"}))

    assert refused.value.headers == {"WWW-Authenticate": "Bearer"}
    assert refused.value.message == "the bearer token is missing or wrong"


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""],
)
def test_the_content_types_of_forms_are_refused(content_type: str) -> None:
    """A page of another site can send them without a question to the server."""
    assert status("POST", {"content-type": content_type}) == HTTPStatus.UNSUPPORTED_MEDIA_TYPE


def test_a_body_may_be_json() -> None:
    """With its charset; the routes refuse a body that is not read."""
    json = {"content-type": "application/json; charset=utf-8"}

    assert status("POST", json) == HTTPStatus.OK
    assert status("POST", json, body=b"{}") == HTTPStatus.OK


def test_access_rules_check_the_host_or_the_token() -> None:
    """Rules that accept any host without a token are an error."""
    with pytest.raises(AssertionError):
        AccessRules(None)


def test_the_text_of_rules_and_requests_has_no_token() -> None:
    """They may be part of a traceback or a log."""
    header = {"authorization": "Bearer all-4711"}

    assert "4711" not in repr(ELSEWHERE) + repr(HttpRequest("GET", "/", header))
