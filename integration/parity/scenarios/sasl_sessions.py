"""SASL: sessions with a lifetime, and logins on a connection that has one (KIP-368)."""

from __future__ import annotations

from integration.parity.client import Client
from integration.parity.logins import (
    PASSWORD,
    add_scram_user,
    authenticate,
    handshake,
    log_in,
    log_in_again,
    outcome,
    scram_outcome,
    started_handshake,
)
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.security.listeners import REAUTHENTICATION_MS
from integration.security.sasl import PLAIN, SHA_256, SHA_512, Scram, plain
from integration.security.users import password_of
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest

_BROKERS = MetadataRequest(topics=[])
_NAMED = ApiVersionsRequest(client_software_name="x", client_software_version="1")
_ALLOWED_AGAIN_MS = 1200  # a second login is refused within one second of the first


def _served(client: Client) -> int:
    return len(client.request(_BROKERS).brokers)


def _after_a_second(kafka: Kafka, user: str) -> Client:
    """A connection whose session is old enough for another login."""
    topic = kafka.topic()
    client = log_in(kafka, user, listener="BRIEF")
    kafka.pass_time(topic, _ALLOWED_AGAIN_MS)
    return client


@scenario(on=SECURED)
def lifetimes_of_sessions(kafka: Kafka) -> Observations:
    """The lifetime is that of the mechanism, else of the listener, from version 1 on."""
    user = kafka.new_user()
    for version in (0, 1, 2):
        client = started_handshake(kafka, PLAIN, listener="BRIEF")
        token = authenticate(plain(user, password_of(user)))
        yield version, client.request(token, version)
    for mechanism in (SHA_256, SHA_512):
        scram = Scram(mechanism, add_scram_user(kafka, mechanism), PASSWORD)
        client = started_handshake(kafka, mechanism, listener="BRIEF")
        first = client.request(authenticate(scram.first()), 2)
        final = client.request(authenticate(scram.final(bytes(first.auth_bytes))), 2)
        yield mechanism, first.session_lifetime_ms, final.session_lifetime_ms


@scenario(on=SECURED)
def requests_after_the_lifetime(kafka: Kafka) -> Observations:
    """The first request after the lifetime closes, also on connections that did not learn it."""
    user = kafka.new_user()
    topic = kafka.topic()
    clients = [log_in(kafka, user, listener="BRIEF") for _ in range(3)]
    unaware = started_handshake(kafka, PLAIN, listener="BRIEF")
    unaware.request(authenticate(plain(user, password_of(user))), 0)
    raw = kafka.connect(listener="BRIEF")
    raw.request(handshake(PLAIN), 0)
    raw.start_frame(plain(user, password_of(user))).frame()
    kafka.pass_time(topic, REAUTHENTICATION_MS + 500)
    yield "silent ones stay", [each.is_closed(0) for each in (*clients, unaware, raw)]
    yield "request", outcome(clients[0], clients[0].start(_BROKERS))
    yield "versions", outcome(clients[1], clients[1].start(_NAMED, 3))
    token = authenticate(plain(user, password_of(user)))
    yield "token", outcome(clients[2], clients[2].start(token, 2))
    yield "version 0", outcome(unaware, unaware.start(_BROKERS))
    yield "raw", outcome(raw, raw.start(_BROKERS))


@scenario(on=SECURED)
def waiting_requests_outlive_the_session(kafka: Kafka) -> Observations:
    """A fetch that waits when the session expires gets its response."""
    topic = kafka.topic()
    client = kafka.connect(listener="BRIEF")
    log_in_again(client, "admin")
    pending = client.start(fetch(topic, max_wait_ms=REAUTHENTICATION_MS + 700))
    yield pending
    yield outcome(client, client.start(_BROKERS))


@scenario(on=SECURED)
def another_login_extends_the_session(kafka: Kafka) -> Observations:
    """A login before or after the expiry starts a new lifetime."""
    user = kafka.new_user()
    topic = kafka.topic()
    client = log_in(kafka, user, listener="BRIEF")
    kafka.pass_time(topic, REAUTHENTICATION_MS // 2)
    yield "before", log_in_again(client, user)
    kafka.pass_time(topic, REAUTHENTICATION_MS // 2 + 500)
    yield _served(client)
    kafka.pass_time(topic, REAUTHENTICATION_MS // 2)
    yield "after", log_in_again(client, user)
    yield _served(client)


@scenario(on=SECURED)
def logins_within_a_second(kafka: Kafka) -> Observations:
    """A login within one second of another one on the connection is refused; the session goes on.

    The first login of a connection does not count.
    """
    user = kafka.new_user()
    client = log_in(kafka, user, listener="BRIEF")
    yield log_in_again(client, user)
    yield client.request(handshake(PLAIN), 1)
    yield _served(client)


@scenario(on=SECURED)
def other_users_in_a_session(kafka: Kafka) -> Observations:
    """Another user cannot log in on a connection."""
    first, second = kafka.new_user(), kafka.new_user()
    client = _after_a_second(kafka, first)
    yield client.request(handshake(PLAIN), 1).error_code
    token = authenticate(plain(second, password_of(second)))
    yield outcome(client, client.start(token, 2))


@scenario(on=SECURED)
def other_mechanisms_in_a_session(kafka: Kafka) -> Observations:
    """Another mechanism is accepted by the handshake, and closes with its first token."""
    client = _after_a_second(kafka, kafka.new_user())
    yield client.request(handshake(SHA_512), 1)
    yield outcome(client, client.start(authenticate(b"n,,n=a,r=b"), 2))
    client = _after_a_second(kafka, kafka.new_user())
    yield outcome(client, client.start(handshake("UNKNOWN"), 1))


@scenario(on=SECURED)
def wrong_passwords_in_a_session(kafka: Kafka) -> Observations:
    """A wrong password closes the connection."""
    user = kafka.new_user()
    client = _after_a_second(kafka, user)
    yield client.request(handshake(PLAIN), 1).error_code
    yield outcome(client, client.start(authenticate(plain(user, "wrong")), 2))


@scenario(on=SECURED)
def requests_during_another_login(kafka: Kafka) -> Observations:
    """Another request between handshake and token gets an error, and the connection closes."""
    client = _after_a_second(kafka, kafka.new_user())
    yield client.request(handshake(PLAIN), 1).error_code
    yield outcome(client, client.start(_BROKERS, 12))


@scenario(on=SECURED)
def raw_tokens_in_a_session(kafka: Kafka) -> Observations:
    """A session may be extended with SaslHandshake v0 and raw tokens."""
    user = kafka.new_user()
    client = _after_a_second(kafka, user)
    yield client.request(handshake(PLAIN), 0).error_code
    yield outcome(client, client.start_frame(plain(user, password_of(user))))
    yield _served(client)


@scenario(on=SECURED)
def scram_again_in_a_session(kafka: Kafka) -> Observations:
    """SCRAM extends a session, too; its lifetime is long."""
    topic = kafka.topic()
    scram_user = add_scram_user(kafka)
    client = started_handshake(kafka, SHA_256, listener="BRIEF")
    yield scram_outcome(client, Scram(SHA_256, scram_user, PASSWORD))
    kafka.pass_time(topic, _ALLOWED_AGAIN_MS)
    yield client.request(handshake(SHA_256), 1).error_code
    yield scram_outcome(client, Scram(SHA_256, scram_user, PASSWORD))


@scenario(on=SECURED)
def pipelined_requests_during_another_login(kafka: Kafka) -> Observations:
    """A login and a request that are sent together, after a waiting fetch, are served in order."""
    topic = kafka.topic()
    client = kafka.connect(listener="BRIEF")
    log_in_again(client, "admin")
    kafka.pass_time(topic, _ALLOWED_AGAIN_MS)
    pending = client.start(fetch(topic))
    shaken = client.start(handshake(PLAIN), 1)
    token = client.start(authenticate(plain("admin", password_of("admin"))), 2)
    last = client.start(_BROKERS, 12)
    yield "waits", pending.waits()
    kafka.request(produce(topic, batch("x")))
    yield pending
    yield [each.response().error_code for each in (shaken, token)]
    yield len(last.response().brokers)
