"""Plans of related faults, each for the mutants that it can detect.

Node 1 leads the topic, node 2 coordinates the share partition, and node 3 coordinates the group.
"""

from __future__ import annotations

from broker.controller.metadata.image import GROUP_METADATA_TOPIC, SHARE_GROUP_STATE_TOPIC
from tests.simulation.share_groups.plan import ACTIONS, TOPIC, SharePlan, settings
from tests.simulation.share_groups.steps import Append, Lead
from tests.simulation.steps import Fault, Step

LEADER, COORDINATOR, OTHER = 1, 2, 3
LIMIT = 3


def _plan(
    seed: int,
    steps: list[Step],
    actions: dict[str, int] | None = None,
    *,
    end_ms: int = 3000,
    every_ms: int = 150,
) -> SharePlan:
    """A plan with two members and a batch after every interval; *actions* replace usual weights."""
    leaders = [
        Lead(0, TOPIC, 0, LEADER),
        Lead(0, SHARE_GROUP_STATE_TOPIC, 0, COORDINATOR),
        Lead(0, GROUP_METADATA_TOPIC, 0, OTHER),
    ]
    appends = [Append(at_ms, 0, 5) for at_ms in range(100, end_ms, every_ms)]
    return SharePlan(
        seed=seed,
        partitions=1,
        members=2,
        state_partitions=1,
        config=settings(lock_ms=1000, limit=LIMIT),
        latency_max_ms=1,
        batch_sizes=(5,),
        actions=ACTIONS | (actions or {}),
        steps=sorted([*leaders, *appends, *steps], key=lambda step: step.at_ms),
    )


def nothing_fails(seed: int) -> SharePlan:
    """Members release records and forget some, and no node has a fault."""
    return _plan(seed, [], {"release": 30, "forget": 10})


def members_disturb_each_other(seed: int) -> SharePlan:
    """They acknowledge what others have, and send epochs twice."""
    return _plan(seed, [], {"of another member": 80, "stale epoch": 40, "keep": 80})


def records_are_kept(seed: int) -> SharePlan:
    """Members renew locks for seconds, while later records are accepted."""
    return _plan(seed, [], {"renew": 150, "accept": 10}, every_ms=50)


def leaders_change(seed: int) -> SharePlan:
    """The leadership of the topic moves every 500 ms."""
    moves: list[Step] = [
        Lead(at_ms, TOPIC, 0, node)
        for at_ms, node in zip(range(500, 4000, 500), (2, 3, 1) * 3, strict=False)
    ]
    return _plan(seed, moves)


def a_replaced_leader_does_not_know_it(seed: int) -> SharePlan:
    """It gets no metadata, and its members acknowledge what they have from it."""
    steps: list[Step] = []
    for at_ms, old, new in ((600, 1, 3), (2000, 3, 1)):
        steps += [
            Fault(at_ms, "hold metadata", old),
            Lead(at_ms + 1, TOPIC, 0, new),
            Fault(at_ms + 900, "release metadata", old),
        ]
    return _plan(seed, steps, {"keep": 60})


def writes_are_lost(seed: int) -> SharePlan:
    """Requests to the share coordinator and responses are lost, and are sent again later."""
    steps: list[Step] = [
        Fault(at_ms, f"lose write {part}", COORDINATOR)
        for at_ms in range(500, 3000, 200)
        for part in ("request", "response")
    ]
    return _plan(seed, steps)


def the_coordinator_crashes(seed: int) -> SharePlan:
    """Its last records are not replicated; another leader of the topic reads the state then."""
    steps: list[Step] = [
        Fault(1000, "pause", LEADER),
        Fault(1000, "pause", OTHER),
        Fault(1700, "stop", COORDINATOR),
        Fault(1800, "resume", LEADER),
        Fault(1800, "resume", OTHER),
        Lead(2500, TOPIC, 0, OTHER),
        Fault(3000, "start", COORDINATOR),
    ]
    return _plan(seed, steps, {"release": 100}, end_ms=1000, every_ms=15)
