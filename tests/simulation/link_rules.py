"""Fault rules about links: delays, losses and cuts of one direction, also to the controller.

Runs have them from the seed `LINKS_SINCE` on, drawn apart from all other steps, so that the plans
of lower seeds do not depend on them. The timeouts after which nodes connect again are short: while
a connection waits for one, nothing is replicated.
"""

from __future__ import annotations

from random import Random
from typing import Any

from broker.faults.rule_spec import CONTROLLER
from tests.simulation.steps import AddLinkRule

LINKS_SINCE = 10_000
# Of a rule; several at the same time keep a node from its leader for longer.
FOR_MS = (50, 300, 1000, 3000)
DELAYS_MS = (1, 20, 200, 900)
PERCENTAGES = (5, 30, 100)


def link_config(seed: int) -> dict[str, str]:
    """Timeouts under which lost messages matter within the seconds of a run."""
    random = Random(f"timeouts of links {seed}")
    return {
        "replica.socket.timeout.ms": str(random.choice((800, 1500, 4000))),
        "controller.socket.timeout.ms": str(random.choice((300, 1000, 4000))),
        "socket.connection.setup.timeout.ms": str(random.choice((300, 1000))),
        "controller.quorum.request.timeout.ms": str(random.choice((200, 2000))),
        "broker.session.timeout.ms": str(random.choice((500, 1500, 9000))),
    }


def draw_link_rules(seed: int, nodes: list[int], duration_ms: float) -> list[AddLinkRule]:
    """The rules of that seed: in two of three runs also about the links to the controller."""
    random = Random(f"links {seed}")
    with_controller = seed % 3 > 0
    return [
        AddLinkRule(random.uniform(0, duration_ms), _rule(random, nodes, with_controller))
        for _ in range(random.randint(3, 10))
    ]


def _rule(random: Random, nodes: list[int], with_controller: bool) -> dict[str, Any]:
    node = random.choice(nodes)
    others: list[int | str | None] = [each for each in nodes if each != node]
    others.append(None)
    if with_controller:
        others += [CONTROLLER] * len(nodes)
    ends = [node, random.choice(others)]
    random.shuffle(ends)
    link = {name: end for name, end in zip(("from", "to"), ends, strict=True) if end is not None}
    return {"link": link, "action": _action(random), "for_ms": random.choice(FOR_MS)}


def _action(random: Random) -> dict[str, Any]:
    kind = random.choice(("delay", "loss", "cut"))
    if kind == "delay":
        return {"type": kind, "ms": random.choice(DELAYS_MS)}
    if kind == "loss":
        return {
            "type": kind,
            "percent": random.choice(PERCENTAGES),
            "seed": random.randrange(1 << 32),
        }
    return {"type": kind}
