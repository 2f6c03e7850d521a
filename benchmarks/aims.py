"""The aims, as ratios of our figure to that of another system in the same run.

They are upper limits where less is better, and lower limits where more is.
"""

from __future__ import annotations

from collections.abc import Mapping

_EACH: tuple[tuple[str, float | None, float | None], ...] = (
    # metric, of Kafka, of kfake
    ("start to first response", 0.12, None),
    ("resident, fresh", 0.12, None),
    ("resident, after load", 0.15, None),
    ("serial acks=all p50", 0.7, 1.2),
    ("wake-up p50", 0.5, 1.2),
    ("end to end p50", 0.5, 1.3),
    ("5000 parked, all completed", 0.4, 1.2),
    ("produce 1 KB", 1.3, 0.9),
    ("produce 100 B", 1.2, 1.0),
    ("16 KB, five in flight", 2.0, 0.8),
    ("consume 1 KB", 1.0, 1.0),
    ("raw fetch", 1.5, 1.0),
    ("heartbeats of 1000 members, CPU", 0.3, None),
    ("OffsetCommit p50", 0.6, None),
    ("share group, 10 consumers", 1.0, None),
    ("share group, wake-up p50", 0.5, None),
    ("share group, end to end p50", 0.5, None),
    ("expiry lateness p99", 1.0, None),
    ("expiry lateness p99, 100,000 timers pending", 1.0, None),
    ("3 replicas, serial acks=all p50", 0.35, None),
    ("3 replicas, wake-up p50", 0.4, None),
    ("3 replicas, end to end p50", 0.5, None),
    ("3 replicas, 16 KB, five in flight", 5.0, None),
    ("3 replicas, produce 1 KB", 2.0, None),
)

# By metric, by system.
AIMS: Mapping[str, Mapping[str, float]] = {
    metric: {
        system: ratio
        for system, ratio in (("Kafka", of_kafka), ("kfake", of_kfake))
        if ratio is not None
    }
    for metric, of_kafka, of_kfake in _EACH
}
