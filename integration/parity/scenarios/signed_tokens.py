"""SASL: OAUTHBEARER with signed tokens."""

from __future__ import annotations

import time

from integration.parity.client import Closed
from integration.parity.logins import authenticate, started_handshake
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.security.sasl import OAUTHBEARER, bearer, unsecured_token
from integration.security.signed_tokens import EC_ID, signed_token
from protocol.messages.create_delegation_token import CreateDelegationTokenRequest


def _logged_in(kafka: Kafka, token: str) -> object:
    """The response to a token, with the principal if it is accepted."""
    client = started_handshake(kafka, OAUTHBEARER, listener="SIGNED")
    response = client.request(authenticate(bearer(token)), 0)
    if response.error_code or response.auth_bytes:
        return response
    requested = CreateDelegationTokenRequest(renewers=[], max_lifetime_ms=-1)
    try:
        return client.request(requested, 1).principal_name
    except Closed:  # the session has ended already
        return "closed"


@scenario(on=SECURED)
def accepted_signed_tokens(kafka: Kafka) -> Observations:
    """Both kinds of keys, no key id, several audiences, and the tolerance of 30 seconds."""
    user = kafka.new_name("user")
    now = int(time.time())
    for what, token in (
        ("RSA", signed_token(user)),
        ("EC", signed_token(user, with_key=EC_ID, key_id=EC_ID)),
        ("no key id", signed_token(user, key_id=None)),
        ("audiences", signed_token(user, aud=["other", "antechamber-tests"])),
        ("just expired", signed_token(user, exp=now - 10, iat=now - 100)),
        ("almost valid", signed_token(user, nbf=now + 10)),
        ("issued in the future", signed_token(user, iat=now + 100)),
        ("scope", signed_token(user, scope="a b")),
        ("scopes", signed_token(user, scope=["a", "b"])),
    ):
        yield what, _logged_in(kafka, token)


@scenario(on=SECURED)
def refused_signed_tokens(kafka: Kafka) -> Observations:
    """Wrong keys, signatures and claims."""
    user = kafka.new_name("user")
    now = int(time.time())
    good = signed_token(user)
    head, body, signature = good.split(".")
    for what, token in (
        ("expired", signed_token(user, exp=now - 100, iat=now - 200)),
        ("not yet valid", signed_token(user, nbf=now + 100)),
        ("no expiry", signed_token(user, exp=None)),
        ("no issue time", signed_token(user, iat=None)),
        ("no subject", signed_token(None)),
        ("other audience", signed_token(user, aud="other")),
        ("no audience", signed_token(user, aud=None)),
        ("other issuer", signed_token(user, iss="https://other.example")),
        ("no issuer", signed_token(user, iss=None)),
        ("expires before it is issued", signed_token(user, exp=now + 10, iat=now + 20)),
        ("unknown key id", signed_token(user, key_id="unknown")),
        ("other key", signed_token(user, with_key="stranger")),
        ("key of another kind", signed_token(user, key_id=EC_ID)),
        ("changed signature", f"{head}.{body}.{signature[:-4]}AAAA"),
        ("no signature", f"{head}.{body}."),
        ("unsecured", unsecured_token(user)),
        ("scope twice", signed_token(user, scope=["a", "a"])),
        ("no token", "a.b.c"),
    ):
        yield what, _logged_in(kafka, token)
