"""The waits that the demo's clients cause are in its wait records."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from demo.__main__ import record
from demo.clients import IMPATIENCE_MS, LONG_POLLS


def test_every_worker_has_its_wait(tmp_path: Path) -> None:
    """A follower, a paused node, a timeout, a completed long poll and an expired one."""
    record(tmp_path / "records", seconds=9)
    records = [json.loads(line) for line in (tmp_path / "records").read_text().splitlines()]

    waits = Counter(
        (each["api"], each["client_id"], each["completed_by"]["cause"])
        for each in records
        if each["purgatory"]
    )
    for name in ("billing", "shop"):
        assert waits["Produce", name, "high_watermark"]
    assert waits["Produce", "impatient", "timeout"]
    impatient = [each for each in records if each["client_id"] == "impatient"]
    assert {each["timeout_ms"] for each in impatient if each["purgatory"]} == {IMPATIENCE_MS}
    behind = {node for each in records for node in (each["waited_for"] or {}).get("behind", ())}
    assert {2, 3} <= behind
    readers = {
        name for _, name, cause in waits if cause == "high_watermark" and "reader" in str(name)
    }
    assert len(readers) == LONG_POLLS
    assert any(cause == "timeout" and "reader" in str(name) for _, name, cause in waits)
