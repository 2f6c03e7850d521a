"""Findings for tests, made without Spark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pipeline.report.findings import Api, Findings

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
        bin_s=60,
        over_time={(START, 256): 998, (late, 1200): 2},
        causes={(START, "high_watermark"): 998, (late, "timeout"): 2},
        lag={(3.0, 890.0): 250, (0.0, 0.0): 750},
        top=[{"parked_us": 30_000_000, "explanation": "Produce 1 <waited> & ended."}],
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
    )
