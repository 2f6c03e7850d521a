"""The Python and the commands of the README and of the how-to pages run as they are shown.

A snippet that starts with ```` ```python no-run ```` needs more than a broker and is not run.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from antechamber import Cluster

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [README, *(page.read_text() for page in sorted(ROOT.glob("docs/how-to/*.md")))]
INDEX = (ROOT / "docs" / "index.md").read_text()
TEXT = "\n".join([*PAGES, INDEX])
SNIPPETS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
TESTS = [each for each in SNIPPETS if re.search(r"^(async )?def test_", each, re.MULTILINE)]
SCRIPTS = [snippet for snippet in SNIPPETS if snippet not in TESTS]
COMMANDS = re.findall(r"^(?:\$ )?antechamber ((?:serve|fault|requests) .*)$", README, re.MULTILINE)
SERVES = re.findall(r"^(?:\$ )?antechamber (serve .*)$", TEXT, re.MULTILINE)
# The file of a command with --properties is the block before it.
PROPERTIES = {
    command: body
    for body, command in re.findall(
        r"^```properties\n([^`]*)```\n\n```console\n\$ antechamber (serve .*)$", TEXT, re.MULTILINE
    )
}
ORDERS = [words for words in COMMANDS if words not in SERVES]
# On free ports, and only until it is ready: stdin ends at once.
BRIEFLY = ("--port", "0", "--admin-port", "0", "--stop-with-stdin")
DEFAULT_ADDRESS = "127.0.0.1:9092"


@pytest.fixture(scope="module")
def three_nodes(against: str) -> Iterator[Cluster]:
    """A cluster as the README's commands need it."""
    if against != "antechamber":
        pytest.skip("tests this project's broker")
    with Cluster(3, topics=["orders:1:3"]) as cluster:
        yield cluster


def run(*command: str, cwd: Path, **variables: str) -> str:
    """Run Python, check that it succeeds, and return its output."""
    ran = subprocess.run(
        [sys.executable, *command],
        input="",
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("snippet", SCRIPTS)
def test_a_snippet_runs(snippet: str, bootstrap: str, tmp_path: Path) -> None:
    """Only the broker's address is replaced, so that tests can run at the same time."""
    assert DEFAULT_ADDRESS in snippet or "antechamber.Cluster(" in snippet
    run("-c", snippet.replace(DEFAULT_ADDRESS, bootstrap), cwd=tmp_path)


@pytest.mark.parametrize("snippet", TESTS)
def test_a_test_passes(snippet: str, against: str, tmp_path: Path) -> None:
    """Under pytest, with the plugin and without configuration."""
    (tmp_path / "test_snippet.py").write_text(snippet)
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)


@pytest.mark.parametrize("command", SERVES)
def test_a_broker_starts(command: str, against: str, tmp_path: Path) -> None:
    """With the options shown it reports that it is ready, and stops in order."""
    words = shlex.split(command.removesuffix(" &"))
    options: tuple[str, ...] = BRIEFLY
    if "--properties" in words:  # the ports are those of the file
        (tmp_path / "server.properties").write_text(re.sub(r":\d+\b", ":0", PROPERTIES[command]))
        options = BRIEFLY[2:]
    assert "antechamber is ready: " in run("-m", "antechamber", *words, *options, cwd=tmp_path)


@pytest.mark.parametrize("command", ORDERS)
def test_a_command_succeeds(command: str, three_nodes: Cluster, tmp_path: Path) -> None:
    """A running broker carries out the README's commands in their order."""
    admin = three_nodes.admin
    run("-m", "antechamber", *shlex.split(command), cwd=tmp_path, ANTECHAMBER_ADMIN=admin)
