"""A real Apache Kafka, in containers or from its jars on a local JVM.

Containers are preferred if a Docker engine responds and has or can pull the image.
`ANTECHAMBER_KAFKA=jars` or `=containers` overrides this. The choice is printed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from functools import cache

from integration.kafka.containers import IMAGE, KafkaContainers
from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.real_kafka import RealKafka

Kafka = RealKafka | KafkaContainers

PULL_WITHIN_SECONDS = 300

sources_used: dict[str, None] = {}  # descriptions, in the order of their first use


def start_kafka(
    nodes: int = 1, properties: Mapping[str, str] | None = None, *, heap: str = "1G"
) -> Kafka:
    """Start a Kafka of the tested version; raises if none can be started."""
    source = os.environ.get("ANTECHAMBER_KAFKA")
    if source not in (None, "jars", "containers"):
        raise ValueError(f"ANTECHAMBER_KAFKA is {source!r}; it may be 'jars' or 'containers'")
    if source is None:
        source = "jars" if missing_containers() else "containers"
    kafka: Kafka
    if source == "containers":
        kafka = KafkaContainers(nodes, properties, heap=heap)
    else:
        kafka = RealKafka(nodes, properties, heap=heap, quick=True)
    sources_used[f"{kafka.name} {kafka.source}"] = None
    return kafka


def missing_kafka() -> str | None:
    """Return what is missing to run a real Kafka, or None."""
    engine, jvm = missing_containers(), missing_for_a_jvm()
    return f"{engine} and {jvm}" if engine and jvm else None


@cache
def missing_containers() -> str | None:
    """Return what is missing to run Kafka in containers, or None."""
    if engine := missing_docker():
        return engine
    if _docker("image", "inspect", IMAGE) or _docker("pull", "--quiet", IMAGE):
        return None
    return f"no image {IMAGE}, and the Docker engine cannot pull it"


def _docker(*arguments: str) -> bool:
    try:
        done = subprocess.run(
            ["docker", *arguments], capture_output=True, timeout=PULL_WITHIN_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


@cache
def missing_docker() -> str | None:
    """Return what is missing to run containers, or None."""
    try:
        subprocess.run(["docker", "info"], capture_output=True, check=True, timeout=20)
    except FileNotFoundError:
        return "no docker on the PATH"
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return "no Docker engine responds"
    return None
