"""Records of connections that log in by SASL."""

from __future__ import annotations

import json
from typing import Any

from protocol.messages.heartbeat import HeartbeatResponse
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from recorder.exchange import Exchange
from tests.recorder.test_addresses import frame_of
from tests.recorder.test_exchange import BEAT, exchange, framed

SECRET = "geheim"
TOKEN = f"\0alice\0{SECRET}".encode()


def exchanged(one: Exchange, request: bytes, response: Any, version: int) -> Any:
    """The record of a request and its response; None if it has none."""
    assert one.request(request, 100) is None
    return one.response(frame_of(response, version)[1], 200)[1](300)


def shaken(one: Exchange, version: int) -> Any:
    """The record of an accepted SaslHandshake."""
    request = framed(SaslHandshakeRequest(mechanism="PLAIN"), version, 1)
    return exchanged(one, request, SaslHandshakeResponse(mechanisms=["PLAIN"]), version)


def authenticated(one: Exchange, error_code: int = 0) -> Any:
    """The record of a SaslAuthenticate."""
    request = framed(SaslAuthenticateRequest(auth_bytes=TOKEN), 2, 2)
    response = SaslAuthenticateResponse(error_code=error_code, auth_bytes=b"")
    return exchanged(one, request, response, 2)


def beaten(one: Exchange) -> Any:
    """The record of a Heartbeat."""
    return exchanged(one, framed(BEAT, 4, 3), HeartbeatResponse(), 4)


def test_requests_after_a_login_have_its_principal() -> None:
    """Those of the login have none, and no record has the password; the listener is not known."""
    one = exchange()
    records = [shaken(one, 1), authenticated(one), beaten(one)]

    assert [each["principal"] for each in records] == [None, None, "User:alice"]
    assert {each["listener"] for each in records} == {None}
    assert SECRET not in json.dumps(records)


def test_a_login_that_fails_has_no_principal() -> None:
    """The broker refuses the token."""
    one = exchange()
    shaken(one, 1)

    assert authenticated(one, error_code=58)["error"] == 58
    assert beaten(one)["principal"] is None


def test_a_token_without_a_header_has_no_record() -> None:
    """After SaslHandshake v0; it is forwarded, and the empty response as well."""
    one = exchange()
    shaken(one, 0)
    assert one.request(TOKEN, 100) is None
    forwarded, record_of = one.response(b"", 200)

    assert (forwarded, record_of(300)) == (b"", None)
    assert beaten(one)["principal"] == "User:alice"


def test_an_abandoned_token_has_no_record() -> None:
    """The broker closes the connection after a wrong password."""
    one = exchange()
    shaken(one, 0)
    one.request(TOKEN, 100)

    assert one.abandoned(200, "unknown") is None
