"""A stored delegation token."""

from __future__ import annotations

from broker.security.principal import user
from broker.security.tokens.delegation_token import DelegationToken

TOKEN = DelegationToken("id", user("alice"), user("admin"), (user("bob"),), 1, 9, 5)


def test_the_owner_and_the_renewers_may_renew_a_token() -> None:
    """The client that requested it may not."""
    may = {name for name in ("alice", "bob", "admin") if TOKEN.may_be_renewed_by(user(name))}

    assert may == {"alice", "bob"}


def test_the_hmac_depends_on_the_id_and_the_key() -> None:
    """It has 64 bytes (HMAC-SHA512)."""
    hmacs = {
        TOKEN.hmac("key"),
        TOKEN.hmac("other"),
        TOKEN._replace(token_id="other").hmac("key"),
        TOKEN._replace(expiry_ms=6).hmac("key"),
    }

    assert {len(each) for each in hmacs} == {64}
    assert len(hmacs) == 3
