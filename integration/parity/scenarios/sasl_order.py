"""SASL: the order of requests before, during and after a login."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from integration.parity.client import Client
from integration.parity.logins import authenticate, handshake, log_in, outcome, started_handshake
from integration.parity.requests import fetch
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.security.listeners import RECEIVE_SIZE_MAX
from integration.security.sasl import PLAIN, plain
from integration.security.users import password_of
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest

_NAMED = ApiVersionsRequest(client_software_name="x", client_software_version="1")
_BROKERS = MetadataRequest(topics=[])


def _with_version(version: int) -> Callable[[bytes], bytes]:
    """An edit that replaces the version in the header."""
    return lambda raw: raw[:2] + struct.pack(">h", version) + raw[4:]


@scenario(on=SECURED)
def requests_before_the_login(kafka: Kafka) -> Observations:
    """Requests of a client that has not logged in close the connection at once."""
    token = authenticate(plain("a", "b"))
    for request, version in ((_BROKERS, 12), (fetch("t"), 12), (token, 1), (token, 2)):
        client = kafka.connect(listener="SASL")
        yield request, outcome(client, client.start(request, version))


@scenario(on=SECURED)
def requests_after_api_versions(kafka: Kafka) -> Observations:
    """Only a handshake may follow ApiVersions: a second one closes, too."""
    for request, version in ((_BROKERS, 12), (authenticate(b"\0a\0b"), 2), (_NAMED, 3)):
        client = kafka.connect(listener="SASL")
        yield client.request(_NAMED, 3).error_code
        yield request, outcome(client, client.start(request, version))


@scenario(on=SECURED)
def unknown_versions_before_the_login(kafka: Kafka) -> Observations:
    """Unknown versions of SaslHandshake and SaslAuthenticate close the connection."""
    client = kafka.connect(listener="SASL")
    yield outcome(client, client.start(handshake(PLAIN), 1, edit=_with_version(9)))
    client = started_handshake(kafka, PLAIN)
    yield outcome(client, client.start(authenticate(b"\0a\0b"), 1, edit=_with_version(9)))


@scenario(on=SECURED)
def unknown_api_versions_before_the_login(kafka: Kafka) -> Observations:
    """An unknown version of ApiVersions gets a response in v0, and may be repeated."""
    client = kafka.connect(listener="SASL")
    payload = struct.pack(">hhihb", 18, 99, 7, -1, 0)
    for _ in range(2):
        frame = client.start_frame(payload).frame()
        yield frame[4:6], len(frame)
    invalid = ApiVersionsRequest(client_software_name="no good", client_software_version="1")
    yield client.request(invalid, 3).error_code
    yield client.request(_NAMED, 3).error_code
    yield client.request(handshake(PLAIN), 1).error_code


@scenario(on=SECURED)
def requests_instead_of_a_token(kafka: Kafka) -> Observations:
    """After a handshake, another request gets an error where it has one, after the delay."""
    requests: tuple[tuple[Any, int], ...] = (
        (_NAMED, 0),
        (_NAMED, 3),
        (_BROKERS, 12),
        (_BROKERS, 13),
        (handshake(PLAIN), 0),
        (handshake(PLAIN), 1),
    )
    for request, version in requests:
        client = started_handshake(kafka, PLAIN)
        yield version, request, outcome(client, client.start(request, version))


@scenario(on=SECURED)
def mechanisms_that_are_not_enabled(kafka: Kafka) -> Observations:
    """The response has the list of mechanisms, after the delay, and the connection closes."""
    for mechanism in ("UNKNOWN", "plain", "", "GSSAPI", "SCRAM-SHA-1"):
        for version in (0, 1):
            client = kafka.connect(listener="SASL")
            yield mechanism, version, outcome(client, client.start(handshake(mechanism), version))


@scenario(on=SECURED)
def large_frames_before_the_login(kafka: Kafka) -> Observations:
    """Frames above sasl.server.max.receive.size close after the delay."""
    client = kafka.connect(listener="SASL")
    pending = client.start_frame(bytes(RECEIVE_SIZE_MAX + 1))
    yield outcome(client, pending)
    client = kafka.connect(listener="SASL")
    client.write(b"GET / HTTP/1.1\r\n\r\n")
    yield "HTTP", client.is_closed()


@scenario(on=SECURED)
def tokens_without_a_handshake(kafka: Kafka) -> Observations:
    """A GSSAPI token as the first frame closes the connection."""
    client = kafka.connect(listener="SASL")
    yield outcome(client, client.start_frame(b"\x60\x82\x01\x00" + bytes(64)))


@scenario(on=SECURED)
def pipelined_logins(kafka: Kafka) -> Observations:
    """A handshake, a token and a request may be sent together."""
    user = kafka.new_user()
    client = kafka.connect(listener="SASL")
    pending = [
        client.start(_NAMED, 3),
        client.start(handshake(PLAIN), 1),
        client.start(authenticate(plain(user, password_of(user))), 2),
        client.start(_BROKERS, 12),
    ]
    for each in pending:
        response = each.response()
        yield type(response).__name__, response.error_code


@scenario(on=SECURED)
def requests_behind_a_failed_login(kafka: Kafka) -> Observations:
    """Requests that were sent with a wrong token have no response."""
    client = started_handshake(kafka, PLAIN)
    failed = client.start(authenticate(plain("user-000", "wrong")), 2)
    behind = client.start(_BROKERS, 12)
    yield outcome(client, failed)
    yield outcome(client, behind)


@scenario(on=SECURED)
def sasl_requests_after_the_login(kafka: Kafka) -> Observations:
    """Without a session lifetime there is no second login; the connection remains."""
    user = kafka.new_user()
    client = log_in(kafka, user)
    for version in (0, 1):
        yield client.request(handshake(PLAIN), version)
    for version in (0, 1, 2):
        yield client.request(authenticate(plain(user, password_of(user))), version)
    yield _served(client)


@scenario(on=SECURED)
def api_versions_after_the_login(kafka: Kafka) -> Observations:
    """After the login ApiVersions may be sent any number of times."""
    client = log_in(kafka, kafka.new_user())
    for _ in range(2):
        yield client.request(_NAMED, 3).error_code
    yield _served(client)


@scenario(on=SECURED)
def closed_logins_leave_other_clients(kafka: Kafka) -> Observations:
    """Clients that leave during a login do not disturb another one."""
    for _ in range(5):
        started_handshake(kafka, PLAIN).close()
        kafka.connect(listener="SASL").close()
    yield _served(log_in(kafka, kafka.new_user()))


def _served(client: Client) -> int:
    return len(client.request(_BROKERS).brokers)
