"""Conversations that once ended the broker, found by `integration.fuzz`, are played again."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from integration.fuzz.corpus import CORPUS, load
from integration.fuzz.sessions import End
from protocol.messages.api_versions import ApiVersionsRequest
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.txt")), ids=lambda path: path.stem)
async def test_a_conversation_that_did_harm_does_none(tmp_path: Path, path: Path) -> None:
    """The broker responds to another client afterwards."""
    async with running_node(tmp_path) as node:
        for name, partitions in (("t", 2), ("u", 1), ("consumer", 3)):
            node.controller.create_topic(name, partitions=partitions)
        for session in load(path):
            client = node.client()
            client.write(b"".join(session.frames))
            if session.end in (End.WAIT, End.HALF):
                await trio.testing.wait_all_tasks_blocked()
            client.close()
        await trio.testing.wait_all_tasks_blocked()

        response = await node.client().send(ApiVersionsRequest(), 0)

        assert response.error_code == 0
