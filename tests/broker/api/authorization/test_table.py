"""The table of checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio.testing

from broker.api.authorization.table import CHECKS
from protocol.messages import REQUESTS
from tests.broker.api.authorization.fake_authorizer import FakeAuthorizer, install
from tests.broker.api.authorization.requests import (
    TOPIC,
    client_of,
    node_with_resources,
    requests_of,
)
from tests.broker.api.handlers.transactions.transactional_producer import ID
from tests.extremes.valid_requests import World


def test_each_api_has_an_entry() -> None:
    """An API that needs no authorization has an empty entry."""
    assert set(CHECKS) == set(REQUESTS)


def test_no_entry_has_a_check_twice() -> None:
    """An entry is a set in the order of the checks."""
    assert all(len(set(checks)) == len(checks) for checks in CHECKS.values())


@pytest.mark.anyio
@pytest.mark.parametrize("cls", REQUESTS.values(), ids=lambda cls: cls.__name__)
async def test_each_check_of_an_entry_is_made(tmp_path: Path, cls: Any) -> None:
    """If all others succeed or if none does; no handler makes a check that its entry has not."""
    made = set()
    for refused in (*CHECKS[cls.__spec__.key], None):
        async with node_with_resources(tmp_path / str(refused), "secret") as node:
            topic = node.controller.image.topic(TOPIC)
            assert topic is not None
            world = World(TOPIC, topic.topic_id, ID)
            authorizer = FakeAuthorizer(everything=True, refused=refused)
            install(node.node, authorizer)
            for version in (cls.__spec__.versions[-1], 9, 3):
                if version in cls.__spec__.versions:
                    for request in requests_of(cls, version, world):
                        client_of(node).start(request, version)
                        await trio.testing.wait_all_tasks_blocked()
            made |= {(operation, kind) for operation, kind, _ in authorizer.asked}

    assert made >= set(CHECKS[cls.__spec__.key])
