"""The programs in examples/served: clients in Java, Go and Node, and a broker that is served."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from antechamber import Cluster
from integration.machine.requirements import need

EXAMPLES = Path(__file__).parent.parent / "examples" / "served"
WITHIN_SECONDS = 400
TOPICS = ["orders:1:2", "payments:1:2", "deliveries:2"]


class Example(NamedTuple):
    """A folder, the tool that it needs, the commands that fetch its packages and run it."""

    folder: str
    tool: str
    fetch: str
    run: str
    passed: int


# The commands are those of examples/served/README.md.
COMMANDS = (
    Example("java", "mvn", "mvn -q -B compile", "mvn -q -B exec:java", 4),
    Example("go", "go", "go build -o program .", "./program", 5),
    Example("node", "npm", "npm install --no-audit --no-fund", "node example.js", 2),
)


@pytest.mark.timeout(1000)
@pytest.mark.parametrize("example", COMMANDS, ids=lambda example: example.folder)
def test_clients_react_as_they_should(example: Example, tmp_path: Path) -> None:
    """To lost responses, errors, timeouts and rebalances; each check prints a line."""
    need(example.tool, None if shutil.which(example.tool) else f"no {example.tool} on the PATH")
    folder = shutil.copytree(EXAMPLES / example.folder, tmp_path / example.folder)
    fetched = _run(example.fetch, folder)
    if fetched.returncode != 0:
        need("packages", f"{example.fetch} failed: {fetched.stderr[-500:]}")

    with Cluster(brokers=2, topics=TOPICS) as kafka:
        done = _run(
            example.run, folder, ANTECHAMBER_ADMIN=kafka.admin, BOOTSTRAP_SERVERS=kafka.bootstrap
        )

    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.count("passed: ") == example.passed


def test_the_command_of_the_page_serves_the_topics() -> None:
    """The README of the examples names the topics that this test creates."""
    served = (EXAMPLES / "README.md").read_text()

    assert "--brokers 2 " + " ".join(f"--topic {each}" for each in TOPICS) in served


def _run(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, **variables},
        check=False,
        capture_output=True,
        text=True,
        timeout=WITHIN_SECONDS,
    )
