"""A trace of requests in a program that reads the format: speedscope, in a real browser.

Perfetto's own reader is a program that its packages download from a host that is not a registry.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer

from antechamber import Cluster
from antechamber.trace.chrome import trace
from integration.machine.browser import browser, browser_path
from integration.machine.deadlines import eventually
from integration.machine.requirements import need

PACKAGE = "speedscope@1.25.0"
WITHIN_S = 300


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """The page of speedscope."""
    need("npm", None if shutil.which("npm") else "no npm on the PATH")
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(tmp_path), PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    if done.returncode != 0:
        need("packages", f"{PACKAGE} cannot be installed: {done.stderr[-500:]}")
    return tmp_path / "node_modules" / "speedscope" / "dist" / "release" / "index.html"


def test_each_track_is_a_profile(reader: Path, tmp_path: Path) -> None:
    """Those of connections and purgatories that have slices; nothing is reported as invalid."""
    document = recorded()
    encoded = base64.b64encode(json.dumps(document).encode()).decode()
    script = tmp_path / "load.js"
    script.write_text(f'speedscope.loadFileFromBase64("trace.json", "{encoded}")')
    tracks = {
        (event["pid"], event["tid"]) for event in document["traceEvents"] if event["ph"] == "X"
    }

    with browser(browser_path(), tmp_path / "profile") as page:
        page.open(f"file://{reader}#title=antechamber&localProfilePath={script}")
        shown = eventually(
            lambda: _title(page.evaluate("document.body?.innerText ?? ''")), "a profile", within=60
        )

    assert len(tracks) >= 3
    assert shown == f"antechamber (1/{len(tracks)})"
    assert any("Importing as Trace Event Format profile" in line for line in page.console)
    assert not [line for line in page.console if "rror" in line or "warn" in line.lower()]


def _title(text: str) -> str | None:
    return next((line for line in text.splitlines() if line.startswith("antechamber (")), None)


def recorded() -> dict[str, Any]:
    """The trace of a produce and of the fetches that read its record."""
    with Cluster(topics=["orders"], record=True) as kafka:
        consumer = Consumer(
            {"bootstrap.servers": kafka.bootstrap, "group.id": "g", "auto.offset.reset": "earliest"}
        )
        consumer.subscribe(["orders"])
        eventually(lambda: consumer.poll(0.05) or consumer.assignment(), "partitions", within=60)
        kafka.wait_parked("Fetch", topic="orders", timeout=60)
        producer = Producer({"bootstrap.servers": kafka.bootstrap})
        producer.produce("orders", b"one")
        assert producer.flush(60) == 0
        assert eventually(lambda: consumer.poll(0.1), "the record", within=60)
        requests = kafka.requests()
        consumer.close()
    return trace(requests, "a test")
