"""The modules for Testcontainers in other languages, by the programs in examples/testcontainers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from integration.containers.image import ROOT, broker_image
from integration.machine.requirements import need

EXAMPLES = ROOT / "examples" / "testcontainers"
FETCH_WITHIN_SECONDS = 300
RUN_WITHIN_SECONDS = 500


class Example(NamedTuple):
    """A folder, the tool that it needs, and the commands that fetch its packages and run it."""

    folder: str
    tool: str
    fetch: str
    run: str


# The commands are those of examples/testcontainers/README.md.
COMMANDS = (
    Example("java", "mvn", "mvn -q -B compile", "mvn -q -B exec:java"),
    Example("go", "go", "go mod download", "go run ."),
    Example("node", "npm", "npm install --no-audit --no-fund", "node example.js"),
)


@pytest.mark.docker
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("example", COMMANDS, ids=lambda example: example.folder)
def test_an_example_prints_the_record(example: Example, tmp_path: Path) -> None:
    """A record is produced when the broker reports that the consumer waits for it."""
    need(example.tool, None if shutil.which(example.tool) else f"no {example.tool} on the PATH")
    broker_image()
    folder = shutil.copytree(EXAMPLES / example.folder, tmp_path / example.folder)
    fetched = _run(example.fetch, folder, FETCH_WITHIN_SECONDS)
    if fetched.returncode != 0:
        need("packages", f"{example.fetch} failed: {fetched.stderr[-500:]}")

    done = _run(example.run, folder, RUN_WITHIN_SECONDS)

    assert done.returncode == 0, done.stderr[-2000:]
    assert "consumed: one" in done.stdout


def _run(command: str, folder: Path, within: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=within,
    )
