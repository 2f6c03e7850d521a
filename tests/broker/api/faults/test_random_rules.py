"""Random fault rules on random requests do not harm the broker."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import trio

from broker.common.errors import InvalidValue, WrongState
from protocol.errors import ErrorCode
from protocol.messages import REQUESTS
from protocol.messages.api_versions import ApiVersionsRequest
from tests.broker.api.faults.faulted_node import FaultedNode, faulted_node, settle
from tests.broker.api.test_random_requests import _make_likely
from tests.protocol.random_messages import random_message

pytestmark = pytest.mark.anyio

NAMES = ("t", "u", "g", "m", "orders")
SEEDS = range(12)
STEPS = 60


def random_rule(rng: random.Random) -> dict[str, Any]:
    """A rule that is valid in most cases."""
    when = rng.choice(("before", "after"))
    actions: list[dict[str, Any]] = [
        {"type": "error", "error": rng.choice(list(ErrorCode)).name, "when": when},
        {"type": "close", "when": when},
        {"type": "hang", "when": when},
        {
            "type": "delay",
            "ms": rng.choice((1, 20, 5_000)),
            "of": rng.choice(("request", "response")),
        },
        {"type": "half_open"},
        {"type": "slow", "bytes_per_second": rng.choice((1, 300, 1_000_000))},
        {"type": "throttle", "ms": rng.choice((1, 500))},
        {"type": "corrupt"},
        {"type": "stale_metadata"},
        {"type": "refuse_connections"},
    ]
    match: dict[str, Any] = {}
    if rng.random() < 0.4:
        match["api"] = rng.choice(list(REQUESTS.values())).__name__.removesuffix("Request")
    for name in ("topic", "group", "transactional_id", "client"):
        if rng.random() < 0.15:
            match[name] = rng.choice(NAMES)
    rule: dict[str, Any] = {"match": match, "action": rng.choice(actions)}
    if rng.random() < 0.7:
        rule["times"] = rng.randint(1, 3)
    if rng.random() < 0.3:
        rule |= {"nth": rng.randint(1, 3), "per": rng.choice(("rule", "client"))}
    if rng.random() < 0.3:
        rule["for_ms"] = rng.choice((1, 100, 10_000))
    return rule


@pytest.mark.parametrize("seed", SEEDS)
async def test_random_rules_do_no_harm(tmp_path: Path, seed: int) -> None:
    """In strict mode an unexpected exception ends the test; afterwards nothing is held."""
    rng = random.Random(seed)
    async with faulted_node(tmp_path) as node:
        timers = node.rules.timer.size
        clients = list[Any]()
        for _ in range(STEPS):
            await random_step(rng, node, clients)

        node.rules.clear()
        await settle()
        for client in clients:
            client.close()
        await settle()

        assert node.rules.timer.size == timers
        assert not list(node.running.node(1).connections)[1:]
        healthy = await node.running.client(1).send(ApiVersionsRequest(), 0)
        assert healthy.error_code == 0


async def random_step(rng: random.Random, node: FaultedNode, clients: list[Any]) -> None:
    """Set or remove a rule, send requests, close a connection, or let time pass."""
    chance = rng.random()
    if chance < 0.25:
        try:
            node.rules.add(random_rule(rng))
        except (InvalidValue, WrongState):
            return  # as a group with an API that has none
    elif chance < 0.35 and node.rules.all():
        node.rules.remove(rng.choice(node.rules.all()).id)
    elif chance < 0.45:
        await trio.sleep(rng.choice((0.001, 0.05, 1)))
    elif chance < 0.5 and clients:
        clients.pop(rng.randrange(len(clients))).close()
    else:
        send(rng, node, clients)
    await settle()


def send(rng: random.Random, node: FaultedNode, clients: list[Any]) -> None:
    """Send one to three requests on a new connection, together."""
    try:
        client = node.running.client(1)
    except ConnectionResetError:
        return
    clients.append(client)
    for _ in range(rng.randint(1, 3)):
        cls = rng.choice(list(REQUESTS.values()))
        version = rng.choice(cls.__spec__.versions)
        message = random_message(rng, cls, version)
        _make_likely(rng, message)
        if client.connection.is_closed:
            return
        client.start(message, version, rng.choice(NAMES))
