"""SASL: OAUTHBEARER with unsecured tokens, and the two steps of a failure."""

from __future__ import annotations

import base64
import time

from integration.parity.logins import authenticate, outcome, started_handshake, token_outcome
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.security.sasl import OAUTHBEARER, bearer, encoded, unsecured_token
from protocol.messages.create_delegation_token import CreateDelegationTokenRequest
from protocol.messages.metadata import MetadataRequest

_ABORT = b"\x01"


def _two_steps(kafka: Kafka, first: bytes, second: bytes = _ABORT) -> Observations:
    """The response to a token and, if it is a failure without an error, to the client's reply."""
    client = started_handshake(kafka, OAUTHBEARER)
    response = client.request(authenticate(first), 0)
    yield "first", response
    if response.error_code == 0 and response.auth_bytes:
        yield "second", outcome(client, client.start(authenticate(second), 0))


@scenario(on=SECURED)
def bearer_logins(kafka: Kafka) -> Observations:
    """A valid token, with an identity, extensions and another case of the scheme."""
    user = kafka.new_name("user")
    token = unsecured_token(user)
    for what, first in (
        ("plain", bearer(token)),
        ("identity", bearer(token, authzid=user)),
        ("extensions", bearer(token, extensions="key=value\x01other=a b\x01")),
        ("scheme", bearer(token, scheme="bEARER")),
    ):
        yield what, list(_two_steps(kafka, first))


@scenario(on=SECURED)
def principals_of_bearer_tokens(kafka: Kafka) -> Observations:
    """The subject of the token is the principal."""
    user = kafka.new_name("user")
    client = started_handshake(kafka, OAUTHBEARER)
    response = client.request(authenticate(bearer(unsecured_token(user))), 2)
    yield response.error_code, 3_500_000 < response.session_lifetime_ms <= 3_600_000
    requested = CreateDelegationTokenRequest(renewers=[], max_lifetime_ms=-1)
    yield client.request(requested, 1).principal_name


@scenario(on=SECURED)
def refused_bearer_tokens(kafka: Kafka) -> Observations:
    """Tokens with missing and wrong claims; the JSON of the failure is the error's text."""
    user = kafka.new_name("user")
    now = int(time.time())
    good = unsecured_token(user)
    header, payload, _ = good.split(".")
    tokens = {
        "expired": unsecured_token(user, -10),
        "no subject": unsecured_token(None),
        "blank subject": unsecured_token(" "),
        "subject is a number": unsecured_token(user, sub=5),
        "no expiry": unsecured_token(user, exp=None),
        "expiry is text": unsecured_token(user, exp=str(now + 100)),
        "issued in the future": unsecured_token(user, iat=now + 1000),
        "expires before it is issued": unsecured_token(user, iat=now + 50, exp=now + 40),
        "algorithm": unsecured_token(user, header={"alg": "HS256"}),
        "signature": f"{good}c2ln",
        "two parts": f"{header}.{payload}",
        "four parts": f"{good}.x",
        "not JSON": f"{header}.bm8.",
        "a list": f"{header}.{encoded([1])}.",
    }
    for what, token in tokens.items():
        yield what, list(_two_steps(kafka, bearer(token)))


@scenario(on=SECURED)
def accepted_claims(kafka: Kafka) -> Observations:
    """Claims that are not checked, and numbers with a fraction."""
    user = kafka.new_name("user")
    now = int(time.time())
    for what, token in (
        ("not before", unsecured_token(user, nbf=now + 1000)),
        ("no issue time", unsecured_token(user, iat=None)),
        ("fraction", unsecured_token(user, exp=now + 100.5)),
        ("scope", unsecured_token(user, scope=["a", "b"])),
    ):
        yield what, list(_two_steps(kafka, bearer(token)))


@scenario(on=SECURED)
def converted_claims(kafka: Kafka) -> Observations:
    """Claims of other types, JSON that is not strict, and bytes after it."""
    header, expiry = encoded({"alg": "none"}), int(time.time()) + 100
    for claims in (
        '{"sub":null,"exp":EXP}',
        '{"sub":true,"exp":EXP}',
        '{"sub":["u"],"exp":EXP}',
        '{"sub":"u","exp":EXP,"scope":null}',
        '{"sub":"u","exp":EXP,"scope":{"a":1}}',
        '{"sub":"u","exp":EXP,"scope":["a",1,null,[]]}',
        '{"sub":"u","exp":EXP,"scope":5}',
        '{"sub":"u","exp":EXP,"iat":null}',
        '{"sub":"u","exp":EXP,"iat":NaN}',
        '{"sub":"u","exp":NaN}',
        '{"sub":"u","exp":true}',
        ' {"sub":"u","exp":EXP} x',
    ):
        payload = base64.urlsafe_b64encode(claims.replace("EXP", str(expiry)).encode())
        token = f"{header}.{payload.decode().rstrip('=')}."
        yield claims, list(_two_steps(kafka, bearer(token)))


@scenario(on=SECURED)
def good_tokens_after_bad_ones(kafka: Kafka) -> Observations:
    """After a failure any reply ends the login, except a good token."""
    user = kafka.new_name("user")
    bad, good = bearer(unsecured_token(user, -10)), bearer(unsecured_token(user))
    for what, second in (("abort", _ABORT), ("good", good), ("bad", bad)):
        yield what, list(_two_steps(kafka, bad, second))


@scenario(on=SECURED)
def malformed_bearer_messages(kafka: Kafka) -> Observations:
    """Messages that are not of RFC 7628's form."""
    token = unsecured_token(kafka.new_name("user"))
    for what, first in (
        ("empty", b""),
        ("no token", b"n,,\x01\x01"),
        ("no end", f"n,,\x01auth=Bearer {token}".encode()),
        ("binding", f"y,,\x01auth=Bearer {token}\x01\x01".encode()),
        ("characters", bearer("a b")),
        ("extension", bearer(token, extensions="k1=v\x01")),
        ("empty extension", bearer(token, extensions="k=\x01")),
        ("abort", _ABORT),
    ):
        yield what, token_outcome(kafka, OAUTHBEARER, first, version=0)


@scenario(on=SECURED)
def other_identities_of_bearer_tokens(kafka: Kafka) -> Observations:
    """The identity must be the subject of the token."""
    user = kafka.new_name("user")
    first = bearer(unsecured_token(user), authzid="other")
    yield token_outcome(kafka, OAUTHBEARER, first, version=0)


@scenario(on=SECURED)
def bearer_sessions_end_with_the_token(kafka: Kafka) -> Observations:
    """The first request after the expiry of the token closes the connection."""
    client = started_handshake(kafka, OAUTHBEARER)
    token = unsecured_token(kafka.new_name("user"), 5)
    response = client.request(authenticate(bearer(token)), 1)
    yield response.error_code, 0 < response.session_lifetime_ms <= 5000
    yield len(client.request(MetadataRequest(topics=[])).brokers)
    topic = kafka.topic()
    kafka.pass_time(topic, 5500)
    yield outcome(client, client.start(MetadataRequest(topics=[])))
