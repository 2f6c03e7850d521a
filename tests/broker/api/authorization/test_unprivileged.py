"""A client that may do nothing sends every version of every API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol.messages import REQUESTS
from tests.broker.api.authorization.fake_authorizer import FakeAuthorizer, install
from tests.broker.api.authorization.requests import (
    TOPIC,
    UNKNOWN_TOPIC_ID,
    client_of,
    node_with_resources,
    requests_of,
)
from tests.broker.api.handlers.transactions.transactional_producer import ID
from tests.client import RunningNode
from tests.extremes.valid_requests import World

pytestmark = pytest.mark.anyio


def _state(node: RunningNode) -> object:
    """What a request could change."""
    image = node.controller.image
    return (
        {topic.name: (len(topic.partitions), topic.configs) for topic in image},
        {str(log.topic_partition): log.log_end_offset for log in node.node.logs},
        dict(image.client_quotas),
        dict(image.group_configs),
        dict(image.client_metrics),
        dict(image.acls.by_id),
        dict(image.scram),
        dict(image.delegation_tokens),
        [broker.node_id for broker in image.alive_brokers()],
        list(node.node.groups.groups),
        dict(node.node.groups.offsets.fetch(ID, None, -1)),
    )


def _requests(cls: Any, topic: str, topic_id: Any, unique: str) -> Iterator[tuple[Any, int]]:
    for version in cls.__spec__.versions:
        for request in requests_of(cls, version, World(topic, topic_id, unique)):
            yield request, version


@pytest.mark.parametrize("cls", REQUESTS.values(), ids=lambda cls: cls.__name__)
async def test_nothing_changes_and_nothing_is_disclosed(tmp_path: Path, cls: Any) -> None:
    """A response about resources is the same whether they exist, except that ids may be unknown."""
    async with node_with_resources(tmp_path) as node:
        topic = node.controller.image.topic(TOPIC)
        assert topic is not None
        before = _state(node)
        install(node.node, FakeAuthorizer())
        existing = _requests(cls, TOPIC, topic.topic_id, ID)
        absent = _requests(cls, "b", UNKNOWN_TOPIC_ID, "elsewho")
        for (request, version), (other, _) in zip(existing, absent, strict=True):
            response = await client_of(node).send(request, version)
            about_absent = await client_of(node).send(other, version)

            expected = _text(about_absent).replace(str(UNKNOWN_TOPIC_ID), str(topic.topic_id))
            expected = expected.replace("'b'", f"'{TOPIC}'").replace("elsewho", ID)
            assert _text(response) == expected

        assert _state(node) == before


def _text(response: object) -> str:
    """The response without the addresses of its bytes; whether a topic id exists is no secret."""
    text = re.sub(r"<memory at \w+>", "bytes", repr(response))
    return text.replace("error_code=100", "error_code=29")
