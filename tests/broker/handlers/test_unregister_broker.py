"""UnregisterBroker."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.unregister_broker import UnregisterBrokerRequest
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("node_id", "error", "message"),
    [
        (1, ErrorCode.UNSUPPORTED_VERSION, "The nodes of this cluster are those it was started"),
        (7, ErrorCode.BROKER_ID_NOT_REGISTERED, "Broker ID 7 is not currently registered"),
    ],
)
async def test_nobody_is_forgotten(
    tmp_path: Path, node_id: int, error: ErrorCode, message: str
) -> None:
    """A node that is here stays, one that is not was never there."""
    async with running_node(tmp_path) as node:
        answer = await node.client().send(UnregisterBrokerRequest(broker_id=node_id))

        assert answer.error_code == error
        assert answer.error_message.startswith(message)
        assert node.node.image.alive(1)
