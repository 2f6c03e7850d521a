"""The periodic removal of expired delegation tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.security.principal import user
from tests.client import EPOCH_MS, running_node

pytestmark = pytest.mark.anyio


async def test_an_expired_token_is_removed_at_the_next_check(tmp_path: Path) -> None:
    """Not when it expires."""
    async with running_node(
        tmp_path,
        delegation_token_secret_key="secret",
        delegation_token_expiry_time_ms="1500",
        delegation_token_expiry_check_interval_ms="1000",
    ) as node:
        alice = user("alice")
        node.controller.security.tokens.create(alice, alice, [], -1, int(EPOCH_MS))
        assert len(node.node.image.delegation_tokens) == 1

        await trio.sleep(1.9)
        assert len(node.node.image.delegation_tokens) == 1

        await trio.sleep(0.2)
        assert not node.node.image.delegation_tokens
