"""docs/reference/admin.md has the fields of the real output, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing
from prometheus_client.parser import text_string_to_metric_families

from broker.admin.cluster_facts import ClusterFacts
from broker.steps.stalls import Stall
from broker.wait_records.outbox import Outbox
from broker.wait_records.recorder import Recorder
from broker.wait_records.records_file import RecordsFile
from broker.wait_records.records_topic import RecordsTopic
from broker.wait_records.span_sender import SpanSender
from tests.batches import batch
from tests.broker.wait_records.records import Collected
from tests.client import RunningCluster, running_cluster
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "admin.md"
COUNTED = {"expired_by", "requests", "tasks"}  # objects whose keys are not names of fields


def documented(path: str) -> set[str]:
    """The names in the first column of the table of *path*."""
    _, _, after = PAGE.read_text().partition(f"## `GET {path}`")
    section, _, _ = after.partition("\n## ")
    cells = re.findall(r"^\| (`[^|]*) \|", section, flags=re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]*)`", cell)}


def fields(value: object, name: str = "") -> Iterator[str]:
    """The names of the fields that are not lists or objects."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key in COUNTED and isinstance(each, dict):
                yield f"{name}.{key}{{}}".removeprefix(".")
            else:
                yield from fields(each, f"{name}.{key}".removeprefix("."))
    elif isinstance(value, list):
        for each in value:
            yield from fields(each, f"{name}[]")
    else:
        yield name


async def _wait_and_record(cluster: RunningCluster, folder: Path) -> ClusterFacts:
    """Let requests wait and complete, with all sinks and a step over budget."""
    recorder = cluster.cluster.recorder
    assert recorder is not None
    sender = SpanSender(Collected())
    sender.close()
    sinks = (
        RecordsFile(folder / "records", bytes_max=1000, files_max=2),
        RecordsTopic("waits", cluster.cluster, cluster.cluster.clock),
        sender,
    )
    recorder.outbox = Outbox(cluster.node(1).timer, sinks)
    cluster.cluster.stalls.add(Stall(1.0, 30.0, "task", None))
    cluster.controller.create_topic("t", assignments=[(1, 2)])
    client = cluster.client(1)
    await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
    client.start(fetch_request("t", 1, max_wait_ms=60_000), FETCH_VERSION)
    await trio.testing.wait_all_tasks_blocked()
    return ClusterFacts(cluster.cluster)


async def test_the_fields_of_the_statistics_are_documented(tmp_path: Path) -> None:
    """Values that may be null have a line of their own."""
    async with running_cluster(tmp_path, recorder=Recorder) as cluster:
        facts = await _wait_and_record(cluster, tmp_path)
        found = set(fields(facts.statistics()))

    assert documented("/v1/statistics") - {"recording", "recording.outbox"} == found


async def test_the_fields_of_the_timers_are_documented(tmp_path: Path) -> None:
    """Some wheels hold tasks."""
    async with running_cluster(tmp_path, recorder=Recorder) as cluster:
        facts = await _wait_and_record(cluster, tmp_path)
        timers = facts.timers()["timers"]
        found = set(fields(timers, "timers"))

    assert documented("/v1/timers") == found


async def test_the_metrics_are_documented(tmp_path: Path) -> None:
    """By the names of their samples; those of timeouts appear after the first one."""
    async with running_cluster(tmp_path, recorder=Recorder) as cluster:
        facts = await _wait_and_record(cluster, tmp_path)
        families = list(text_string_to_metric_families(facts.metrics()))
        names = {each.name + ("_total" if each.type == "counter" else "") for each in families}

    assert documented("/metrics") == names
