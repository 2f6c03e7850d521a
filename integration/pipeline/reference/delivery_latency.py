"""`delivery_latency`: the times from append to delivery by window, partition and consumer."""

from __future__ import annotations

from integration.pipeline.reference import percentiles
from integration.pipeline.reference.record import Row, window

STEPS = ("append_to_delivery", "append_to_answer", "fetch_parked")


def delivery_latency(deliveries: list[Row], window_s: int) -> list[Row]:
    """The rows of the table; a time below 0 counts as 0."""
    return percentiles.rows(
        (
            {
                "window": window(row["appended"], window_s),
                **{name: row[name] for name in ("topic", "partition", "consumer")},
                "phase": step,
            },
            max(0, row[f"{step}_us"]),
        )
        for row in deliveries
        for step in STEPS
    )
