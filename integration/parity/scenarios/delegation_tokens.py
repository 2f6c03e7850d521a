"""Delegation tokens: created, used to log in, renewed, expired and described (KIP-48)."""

from __future__ import annotations

import base64
from typing import Any

from broker.security.resource import Operation, ResourceType
from integration.machine.deadlines import eventually
from integration.parity.acls import Acl, add
from integration.parity.client import Client
from integration.parity.logins import (
    log_in,
    scram_outcome,
    started_handshake,
    trusting,
    with_certificate,
)
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.security.sasl import SHA_256, SHA_512, Scram
from protocol.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from protocol.messages.renew_delegation_token import RenewDelegationTokenRequest

_MINE = DescribeDelegationTokenRequest(owners=None)
_UNKNOWN = b"unknown"
_HOUR_MS = 3_600_000


def _create(
    *renewers: tuple[str, str], lifetime_ms: int = -1, owner: str | None = None
) -> CreateDelegationTokenRequest:
    return CreateDelegationTokenRequest(
        owner_principal_type=None if owner is None else "User",
        owner_principal_name=owner,
        renewers=[
            CreatableRenewers(principal_type=kind, principal_name=name) for kind, name in renewers
        ],
        max_lifetime_ms=lifetime_ms,
    )


def _renew(hmac: bytes, period_ms: int = -1) -> RenewDelegationTokenRequest:
    return RenewDelegationTokenRequest(hmac=hmac, renew_period_ms=period_ms)


def _expire(hmac: bytes, period_ms: int = -1) -> ExpireDelegationTokenRequest:
    return ExpireDelegationTokenRequest(hmac=hmac, expiry_time_period_ms=period_ms)


def _made(client: Client, request: CreateDelegationTokenRequest) -> Any:
    """A new token, once the node knows it."""
    token = client.request(request)
    assert token.error_code == 0, token
    eventually(lambda: token.token_id in _ids(client), "the token")
    return token


def _ids(client: Client) -> list[str]:
    return [each.token_id for each in client.request(_MINE).tokens]


def _facts(token: Any) -> tuple[object, ...]:
    """What does not differ from run to run."""
    return (
        token.principal_name,
        token.token_requester_principal_name,
        len(token.hmac),
        len(token.token_id),
        token.max_timestamp_ms - token.issue_timestamp_ms,
        token.expiry_timestamp_ms - token.issue_timestamp_ms,
    )


def _listed(response: Any) -> tuple[object, ...]:
    owners = [
        (
            each.principal_name,
            each.token_requester_principal_name,
            [renewer.principal_name for renewer in each.renewers],
        )
        for each in response.tokens
    ]
    return response.error_code, sorted(owners)


@scenario(on=SECURED)
def tokens_are_created(kafka: Kafka) -> Observations:
    """Lifetimes, renewers and sizes, in each version."""
    user, other = kafka.new_user(), kafka.new_user()
    client = log_in(kafka, user)
    for version in (1, 2, 3):
        yield version, _facts(client.request(_create(), version))
    yield _facts(client.request(_create(("User", other), lifetime_ms=_HOUR_MS)))
    yield _facts(client.request(_create(lifetime_ms=0)))
    yield _facts(client.request(_create(lifetime_ms=2**60)))
    yield client.request(_create(("Group", other)))


@scenario(on=SECURED)
def tokens_on_other_listeners(kafka: Kafka) -> Observations:
    """Without authentication the four requests are refused."""
    clients = {
        "PLAINTEXT": kafka.connect(listener="PLAINTEXT"),
        "TLS": kafka.connect(listener="TLS", context=trusting()),
        "ASKED": kafka.connect(listener="ASKED", context=with_certificate()),
    }
    for name, client in clients.items():
        response = client.request(_create())
        yield name, response.error_code, response.principal_name
        yield client.request(_renew(_UNKNOWN))
        yield client.request(_expire(_UNKNOWN))
        yield client.request(DescribeDelegationTokenRequest(owners=[]))


@scenario(on=SECURED)
def logins_by_token(kafka: Kafka) -> Observations:
    """A token is a user and a password of SCRAM; its session ends with the token."""
    user = kafka.new_user()
    client = log_in(kafka, user)
    token = _made(client, _create())
    password = base64.b64encode(bytes(token.hmac)).decode()
    for mechanism in (SHA_256, SHA_512):
        by_token = started_handshake(kafka, mechanism)
        scram = Scram(mechanism, token.token_id, password, extensions=",tokenauth=true")
        yield mechanism, scram_outcome(by_token, scram)
        yield by_token.request(_create()).error_code
        yield by_token.request(_MINE).error_code
    for what, scram in (
        ("no extension", Scram(SHA_256, token.token_id, password)),
        ("wrong", Scram(SHA_256, token.token_id, "wrong", extensions=",tokenauth=true")),
        ("unknown", Scram(SHA_256, "unknown", password, extensions=",tokenauth=true")),
        ("false", Scram(SHA_256, token.token_id, password, extensions=",tokenauth=false")),
    ):
        yield what, scram_outcome(started_handshake(kafka, SHA_256), scram)


@scenario(on=SECURED)
def tokens_are_renewed(kafka: Kafka) -> Observations:
    """Renewed by owner and renewers, with each error."""
    owner, renewer, other = kafka.new_user(), kafka.new_user(), kafka.new_user()
    clients = {name: log_in(kafka, name) for name in (owner, renewer, other, "admin")}
    token = _made(clients[owner], _create(("User", renewer)))
    hmac = bytes(token.hmac)
    for name, client in clients.items():
        for version in (1, 2):
            response = client.request(_renew(hmac, _HOUR_MS), version)
            lasting = response.expiry_timestamp_ms > token.issue_timestamp_ms
            yield name, version, response.error_code, lasting or response.expiry_timestamp_ms
    yield clients[owner].request(_renew(_UNKNOWN))
    yield clients[owner].request(_renew(b""))


@scenario(on=SECURED)
def tokens_are_expired(kafka: Kafka) -> Observations:
    """Deleted by a negative period, shortened by another one, with each error."""
    owner, other = kafka.new_user(), kafka.new_user()
    client, stranger = log_in(kafka, owner), log_in(kafka, other)
    token = _made(client, _create())
    hmac = bytes(token.hmac)
    yield stranger.request(_expire(hmac))
    yield stranger.request(_expire(_UNKNOWN))
    shortened = client.request(_expire(hmac, _HOUR_MS))
    yield shortened.error_code, shortened.expiry_timestamp_ms < token.expiry_timestamp_ms
    yield client.request(_expire(hmac)).error_code
    eventually(lambda: not _ids(client), "no token")
    yield client.request(_expire(hmac))
    yield client.request(_renew(hmac))


@scenario(on=SECURED)
def tokens_are_described(kafka: Kafka) -> Observations:
    """Owners, renewers and requesters see a token; others see it with a permission."""
    owner, renewer, other = kafka.new_user(), kafka.new_user(), kafka.new_user()
    clients = {name: log_in(kafka, name) for name in (owner, renewer, other)}
    token = _made(clients[owner], _create(("User", renewer)))
    eventually(lambda: bool(_ids(clients[renewer])), "the token at its renewer")
    mine = DescribeDelegationTokenOwner(principal_type="User", principal_name=owner)
    for name, client in clients.items():
        for owners in (None, [], [mine]):
            response = client.request(DescribeDelegationTokenRequest(owners=owners))
            yield name, owners is None, _listed(response)
    add(kafka, other, Acl(Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN, token.token_id))
    yield "DESCRIBE", _listed(clients[other].request(_MINE))


@scenario(on=SECURED)
def tokens_of_described_users(kafka: Kafka) -> Observations:
    """DESCRIBE_TOKENS on a user shows the user's tokens."""
    owner, other = kafka.new_user(), kafka.new_user()
    _made(log_in(kafka, owner), _create())
    client = log_in(kafka, other)
    yield _listed(client.request(_MINE))
    add(kafka, other, Acl(Operation.DESCRIBE_TOKENS, ResourceType.USER, f"User:{owner}"))
    yield _listed(client.request(_MINE))


@scenario(on=SECURED)
def tokens_for_other_owners(kafka: Kafka) -> Observations:
    """CREATE_TOKENS on a user permits tokens of this user."""
    owner, requester = kafka.new_user(), kafka.new_user()
    client = log_in(kafka, requester)
    yield client.request(_create(owner=owner))
    add(kafka, requester, Acl(Operation.CREATE_TOKENS, ResourceType.USER, f"User:{owner}"))
    token = _made(client, _create(owner=owner))
    yield _facts(token)
    yield _listed(client.request(_MINE))
    yield client.request(_renew(bytes(token.hmac))).error_code


@scenario(on=SECURED)
def sessions_of_short_tokens(kafka: Kafka) -> Observations:
    """The lifetime of the session is the rest of the token's."""
    client = log_in(kafka, kafka.new_user())
    token = _made(client, _create(lifetime_ms=_HOUR_MS))
    password = base64.b64encode(bytes(token.hmac)).decode()
    by_token = started_handshake(kafka, SHA_256)
    scram = Scram(SHA_256, token.token_id, password, extensions=",tokenauth=true")
    outcome = scram_outcome(by_token, scram)
    yield outcome
