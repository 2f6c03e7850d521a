"""SaslHandshake."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.metadata import MetadataRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", range(2))
async def test_a_listener_without_sasl_refuses_the_handshake(tmp_path: Path, version: int) -> None:
    """It names no mechanism, and the connection stays open."""
    async with running_node(tmp_path) as node:
        client = node.client()

        response = await client.send(SaslHandshakeRequest(mechanism="PLAIN"), version)

        assert response == SaslHandshakeResponse(
            error_code=ErrorCode.ILLEGAL_SASL_STATE, mechanisms=[]
        )
        assert (await client.send(MetadataRequest(topics=None))).brokers
