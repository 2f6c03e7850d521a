"""What the tokens of the admin interface allow."""

from __future__ import annotations

import pytest

from broker.security.admin_tokens import NO_TOKENS, AdminAccess, AdminTokens


@pytest.mark.parametrize("authorization", ["", "Bearer any"])
def test_without_tokens_everything_is_allowed(authorization: str) -> None:
    """The interface is then on loopback."""
    assert not NO_TOKENS.are_required
    assert NO_TOKENS.access(authorization) is AdminAccess.FULL


def test_each_token_has_its_access() -> None:
    """Other texts have none, also parts of a token and characters outside of ASCII."""
    tokens = AdminTokens("all", "reads")

    assert tokens.access("Bearer all") is AdminAccess.FULL
    assert tokens.access("Bearer reads") is AdminAccess.READ
    for text in ("", "all", "Bearer", "Bearer ", "Bearer al", "Bearer alll", "Bearer \xe4", "\xff"):
        assert tokens.access(text) is AdminAccess.NONE


def test_with_a_read_only_token_alone_nothing_can_be_changed() -> None:
    """Nor is anything allowed without it."""
    tokens = AdminTokens(read_only="reads")

    assert tokens.access("Bearer reads") is AdminAccess.READ
    assert tokens.access("Bearer None") is AdminAccess.NONE
    assert tokens.access("") is AdminAccess.NONE
