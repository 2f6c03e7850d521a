"""A real Apache Kafka, from its jars on a local JVM or in containers.

The jars are preferred, because they start in a fifth of the time. `ANTECHAMBER_KAFKA=jars` or
`=containers` overrides this. The choice is printed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from integration.containers.engine import missing_image
from integration.kafka.containers import IMAGE, KafkaContainers
from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.real_kafka import RealKafka

Kafka = RealKafka | KafkaContainers

sources_used: dict[str, None] = {}  # descriptions, in the order of their first use


def start_kafka(
    nodes: int = 1,
    properties: Mapping[str, str] | None = None,
    *,
    heap: str = "1G",
    racks: Sequence[str] = (),
) -> Kafka:
    """Start a Kafka of the tested version; raises if none can be started.

    *racks*: the rack of each node.
    """
    source = os.environ.get("ANTECHAMBER_KAFKA")
    if source not in (None, "jars", "containers"):
        raise ValueError(f"ANTECHAMBER_KAFKA is {source!r}; it may be 'jars' or 'containers'")
    if source is None:
        source = "containers" if missing_for_a_jvm() else "jars"
    kafka: Kafka
    if source == "containers":
        kafka = KafkaContainers(nodes, properties, heap=heap, racks=racks)
    else:
        kafka = RealKafka(nodes, properties, heap=heap, quick=True, racks=racks)
    sources_used[f"{kafka.name} {kafka.source}"] = None
    return kafka


def missing_kafka() -> str | None:
    """Return what is missing to run a real Kafka, or None."""
    jvm = missing_for_a_jvm()
    engine = jvm and missing_image(IMAGE)
    return f"{jvm} and {engine}" if engine else None
