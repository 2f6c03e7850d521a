"""Findings for tests, made without Spark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pipeline.report.causes import Cause, Causes, Mark
from pipeline.report.findings import Api, Findings, Series

START = datetime(2025, 11, 21, 9, tzinfo=UTC)


def made(name: str = "ours", malformed: int = 0) -> Findings:
    """A thousand produces, and two more a minute later."""
    phases = {"queued": 1.0, "local": 9.0, "parked": 890.0, "send": 0.0}
    produce = Api("Produce", 1000, phases, [(900.0, 998), (30e6, 2)], 30_000_000, parked=250)
    late = START + timedelta(minutes=5)
    return Findings(
        name=name,
        malformed=malformed,
        apis=[produce],
        series=series(),
        bin_s=60,
        over_time={
            ("Produce", "request"): {(START, 8): 998, (late, 38): 2},
            ("Fetch", "idle_poll"): {(START, 26): 7},
        },
        lag={(3.0, 890.0): 250, (0.0, 0.0): 750},
        top=[wait(30_000_000, "Produce 1 <waited> & ended.")],
        deliveries=[
            {
                "topic": "orders",
                "partition": 0,
                "consumer": None,
                "count": 7,
                "mean": 1_000.0,
                "worst_p99": 2_000.0,
                "max": 3_000,
            }
        ],
        clients=[
            {
                "client_id": "billing",
                "principal": "User:alice",
                "listener": "SASL_SSL",
                "requests": 1000,
                "parked": 250,
                "timeouts": 2,
                "failed": 3,
                "mean": 900.0,
                "max": 30_000_000,
            },
            {
                "client_id": None,
                "principal": None,
                "listener": None,
                "requests": 1,
                "parked": 0,
                "timeouts": 0,
                "failed": 0,
                "mean": 1.0,
                "max": 1,
            },
        ],
        blame=causes(late),
    )


def series() -> list[Series]:
    """The thousand and two produces, and seven idle long polls."""
    parked = {"queued": 0, "local": 9, "parked": 30_000_000, "send": 0, "total": 30_000_000}
    shapes = {name: [(us / 2, 998), (float(us), 2)] for name, us in parked.items()}
    poll = {"total": [(500_000.0, 7)], "parked": [(500_000.0, 7)]}
    poll |= {"queued": [(0.0, 7)], "local": [(40.0, 7)], "send": [(9.0, 7)]}
    longest = {phase: int(values[-1][0]) for phase, values in poll.items()}
    return [
        Series("Produce", "request", shapes, parked, 1000),
        Series("Fetch", "idle_poll", poll, longest, 7),
    ]


def wait(us: int, sentences: str) -> dict[str, Any]:
    """A row of `top_waits`: a produce that waited for replica 3, after a wait for a rule."""
    rule = {"kind": "rule", "name": "slow", "detail": "delay"}
    steps = [
        {"us": 1_000, "purgatory": "Fault", "kind": "fault", "ended_by": "timeout", "blamed": rule},
        {
            "us": us - 1_000,
            "purgatory": "Produce",
            "kind": "high_watermark",
            "ended_by": "high_watermark",
            "blamed": {"kind": "replica", "name": "3", "detail": "paused"},
        },
    ]
    times = {"queued_us": 40, "local_us": 90, "parked_us": us, "send_us": 10, "total_us": us + 140}
    return {
        "api": "Produce",
        "client_id": "billing",
        "purgatory": "Produce",
        "role": "request",
        "arrived": START,
        "explanation": sentences,
        "waits": steps,
        **times,
    }


def causes(late: datetime) -> Causes:
    """A paused replica, a fault rule, a queue, and idle long polls."""
    replica, rule = Cause("replica", "3", "paused"), Cause("rule", "slow", "delay")
    queue, idle = Cause("queue", "billing", None), Cause("idle", None, "idle_poll")
    replica.add("Produce", 250, 30_000_000, 29_000_000)
    rule.add("Produce", 20, 20_000, 1_000)
    queue.add("Produce", 9, 60_000_000, 9_000_000)
    idle.add("Fetch", 7, 3_500_000, 500_000)
    return Causes(
        [queue, replica, rule],
        {"idle_poll": idle},
        {
            (START, "replica"): 30_000_000,
            (late, "rule"): 20_000,
            (START, "queue"): 60_000_000,
            (START, "idle"): 3_500_000,
        },
        [Mark(START, "replica", "3", "paused", 250), Mark(late, "rule", "slow", "delay", 20)],
    )
