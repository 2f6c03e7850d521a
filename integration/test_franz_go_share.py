"""franz-go's consumer of a share group; ``--against kafka`` asks a real Kafka."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from integration.clients.go_program import go_program, missing_for_go
from integration.machine.deadlines import ENDS_WITHIN_S
from integration.machine.requirements import need

_SOURCES = Path(__file__).parent / "go" / "share_group"


@pytest.mark.timeout(1000)
def test_records_are_accepted_released_rejected_and_renewed(
    bootstrap: str, topic: str, group: str
) -> None:
    """Only released records come again; the end of a client releases those that it renewed."""
    need("go", missing_for_go(_SOURCES))
    command: list[str | Path] = [go_program(_SOURCES), bootstrap, topic, group]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=False
    )

    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "first: 0#1 1#1 2#1 3#1 4#1 5#1 6#1 7#1 8#1 9#1",
        "renewed: 1#2 2#2",
        "released: 1#3 2#3",
        "left: 0",
        "failed: []",
    ]
