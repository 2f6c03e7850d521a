"""SaslAuthenticate."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.metadata import MetadataRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", range(3))
async def test_a_listener_without_sasl_refuses_tokens(tmp_path: Path, version: int) -> None:
    """The connection stays open."""
    async with running_node(tmp_path) as node:
        client = node.client()

        response = await client.send(SaslAuthenticateRequest(auth_bytes=b"\0a\0b"), version)

        assert response.error_code == ErrorCode.ILLEGAL_SASL_STATE
        assert "after successful authentication" in response.error_message
        assert bytes(response.auth_bytes) == b""
        assert response.session_lifetime_ms == 0
        assert (await client.send(MetadataRequest(topics=None))).brokers
