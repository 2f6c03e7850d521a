"""Issuing, renewing and removing delegation tokens."""

from __future__ import annotations

import hmac
from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.config import parse_config
from broker.controller.cluster_state import ClusterState
from broker.controller.database.store import ControllerStore
from broker.controller.security.delegation_token_control import DelegationTokenControl
from broker.security.principal import Principal, user
from broker.security.tokens.delegation_token import DelegationToken
from protocol.errors import ErrorCode

ALICE, BOB, ADMIN = user("alice"), user("bob"), user("admin")
NOW = 1_000_000
LONGEST, RENEWAL = 7000, 5000


def control(
    path: Path | None = None, secret_key: str | None = "secret"
) -> tuple[DelegationTokenControl, ClusterState]:
    """Tokens live for 7 seconds, and expire after 5."""
    settings = {
        "delegation.token.max.lifetime.ms": str(LONGEST),
        "delegation.token.expiry.time.ms": str(RENEWAL),
    }
    if secret_key is not None:
        settings["delegation.token.secret.key"] = secret_key
    state = ClusterState(ControllerStore(path), parse_config(settings))
    return DelegationTokenControl(state), state


def issue(tokens: DelegationTokenControl) -> DelegationToken:
    """A token of alice that bob may renew."""
    return tokens.create(ALICE, ADMIN, [BOB], -1, NOW)


@pytest.mark.parametrize(
    ("max_lifetime_ms", "max_ms", "expiry_ms"),
    [(-1, 7000, 5000), (0, 7000, 5000), (2000, 2000, 2000), (10**15, 7000, 5000)],
)
def test_the_times_of_a_new_token_are_bounded(
    max_lifetime_ms: int, max_ms: int, expiry_ms: int
) -> None:
    """By the configuration and by the request."""
    tokens, state = control()

    token = tokens.create(ALICE, ADMIN, [BOB], max_lifetime_ms, NOW)

    assert token == DelegationToken(
        token.token_id, ALICE, ADMIN, (BOB,), NOW, NOW + max_ms, NOW + expiry_ms
    )
    assert len(token.token_id) == 22
    assert state.image.delegation_tokens == {token.token_id: token}


def test_tokens_survive_a_restart(tmp_path: Path) -> None:
    """A removed one does not return."""
    tokens, state = control(tmp_path / "controller.db")
    kept, removed = issue(tokens), issue(tokens)
    tokens.expire(removed.hmac("secret"), -1, ALICE, NOW)
    state.close()

    _, again = control(tmp_path / "controller.db")

    assert again.image.delegation_tokens == {kept.token_id: kept}
    again.close()


def test_renewers_are_users() -> None:
    """Also if there are no tokens."""
    for secret_key in ("secret", None):
        tokens, _ = control(secret_key=secret_key)

        with pytest.raises(ApiError) as refusal:
            tokens.create(ALICE, ALICE, [BOB, Principal("Group", "x")], -1, NOW)

        assert refusal.value.code is ErrorCode.INVALID_PRINCIPAL_TYPE


@pytest.mark.parametrize(
    ("period_ms", "after_ms"), [(-1, 5000), (0, 5000), (1000, 1000), (9000, 5000)]
)
def test_a_renewal_moves_the_expiry_time(period_ms: int, after_ms: int) -> None:
    """By the period, at most by the configured one."""
    tokens, state = control()
    token = issue(tokens)

    expiry_ms = tokens.renew(token.hmac("secret"), period_ms, BOB, NOW + 1)

    assert expiry_ms == NOW + 1 + after_ms
    assert state.image.delegation_tokens[token.token_id].expiry_ms == expiry_ms


def test_a_token_cannot_be_renewed_beyond_its_lifetime() -> None:
    """The lifetime was chosen when it was issued."""
    tokens, _ = control()

    assert tokens.renew(issue(tokens).hmac("secret"), -1, ALICE, NOW + 4000) == NOW + LONGEST


@pytest.mark.parametrize(("period_ms", "after_ms"), [(0, 0), (6000, 6000), (9000, LONGEST)])
def test_an_expiry_time_can_be_set(period_ms: int, after_ms: int) -> None:
    """At most to the end of the lifetime."""
    tokens, _ = control()

    assert tokens.expire(issue(tokens).hmac("secret"), period_ms, ALICE, NOW) == NOW + after_ms


def test_a_negative_period_removes_a_token() -> None:
    """Also an expired one."""
    tokens, state = control()

    assert tokens.expire(issue(tokens).hmac("secret"), -1, BOB, NOW + 9000) == NOW + 9000

    assert not state.image.delegation_tokens


def test_a_removed_token_is_not_found() -> None:
    """Whether a client, its expiry time or a clean slate has removed it."""
    tokens, _ = control()
    first, second, third = (issue(tokens).hmac("secret") for _ in range(3))
    tokens.expire(first, -1, BOB, NOW)
    _check_unknown(tokens, first)
    tokens.renew(second, -1, BOB, NOW + 1000)
    tokens.remove_expired(NOW + RENEWAL + 500)
    _check_unknown(tokens, third)
    assert tokens.remove_all() == 1
    _check_unknown(tokens, second)


def _check_unknown(tokens: DelegationTokenControl, token_hmac: bytes) -> None:
    with pytest.raises(ApiError) as refusal:
        tokens.renew(token_hmac, -1, BOB, NOW)
    assert refusal.value.code is ErrorCode.DELEGATION_TOKEN_NOT_FOUND


def test_a_token_from_before_a_restart_can_be_renewed(tmp_path: Path) -> None:
    """Its HMAC is not stored."""
    tokens, state = control(tmp_path / "controller.db")
    token = issue(tokens)
    state.close()

    again, state = control(tmp_path / "controller.db")

    assert again.renew(token.hmac("secret"), 6000, BOB, NOW) == NOW + RENEWAL
    state.close()


def test_a_renewal_computes_no_hmac_of_another_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token is found by its HMAC."""
    tokens, _ = control()
    token_hmac = [issue(tokens).hmac("secret") for _ in range(100)][-1]
    computed = []
    digest = hmac.digest

    def counted(key: bytes, message: bytes, name: str) -> bytes:
        computed.append(message)
        return digest(key, message, name)

    monkeypatch.setattr(hmac, "digest", counted)

    tokens.renew(token_hmac, -1, BOB, NOW)

    assert len(computed) <= 1


@pytest.mark.parametrize(
    ("operation", "client", "now_ms", "code"),
    [
        ("renew", ADMIN, NOW, ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH),
        ("renew", ADMIN, NOW + 5001, ErrorCode.DELEGATION_TOKEN_EXPIRED),
        ("expire", ADMIN, NOW + 5001, ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH),
        ("expire", ALICE, NOW + 5001, ErrorCode.DELEGATION_TOKEN_EXPIRED),
    ],
)
def test_a_change_is_refused(
    operation: str, client: Principal, now_ms: int, code: ErrorCode
) -> None:
    """The order of the checks of renewals differs from that of expirations."""
    tokens, _ = control()
    token = issue(tokens)
    change = tokens.renew if operation == "renew" else tokens.expire

    with pytest.raises(ApiError) as refusal:
        change(token.hmac("secret"), 1000, client, now_ms)

    assert refusal.value.code is code


def test_an_unknown_token_is_not_found() -> None:
    """It is named by its HMAC."""
    tokens, _ = control()
    issue(tokens)

    for change in (tokens.renew, tokens.expire):
        with pytest.raises(ApiError) as refusal:
            change(b"x", 1000, ALICE, NOW)
        assert refusal.value.code is ErrorCode.DELEGATION_TOKEN_NOT_FOUND


def test_without_a_secret_key_there_are_no_tokens() -> None:
    """Every request is refused."""
    tokens, _ = control(secret_key=None)

    for change in (tokens.renew, tokens.expire):
        with pytest.raises(ApiError) as refusal:
            change(b"x", 1000, ALICE, NOW)
        assert refusal.value.code is ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED
    with pytest.raises(ApiError) as refusal:
        issue(tokens)
    assert refusal.value.code is ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED


def test_expired_tokens_are_removed() -> None:
    """The others stay."""
    tokens, state = control()
    expired = issue(tokens)
    renewed = issue(tokens)
    tokens.renew(renewed.hmac("secret"), -1, ALICE, NOW + 1000)

    tokens.remove_expired(NOW + 5000)
    assert expired.token_id in state.image.delegation_tokens

    tokens.remove_expired(NOW + 5001)
    assert list(state.image.delegation_tokens) == [renewed.token_id]
