"""What the README shows runs as it stands there: its Python, and every command of ours.

So does the Python of docs/testing.md.
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
TESTING = (ROOT / "docs" / "testing.md").read_text()
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README + TESTING, re.MULTILINE | re.DOTALL)
TESTS = [snippet for snippet in SNIPPETS if "\ndef test_" in snippet]
SCRIPTS = [snippet for snippet in SNIPPETS if snippet not in TESTS]
COMMANDS = re.findall(r"^(?:\$ )?antechamber ((?:serve|fault|requests) .*)$", README, re.MULTILINE)
SERVES = [words for words in COMMANDS if words.startswith("serve")]
ORDERS = [words for words in COMMANDS if words not in SERVES]
# On free ports, and only until it is ready: the end of stdin is there from the beginning.
BRIEFLY = ("--port", "0", "--admin-port", "0", "--stop-with-stdin")
DEFAULT_ADDRESS = "127.0.0.1:9092"


@pytest.fixture(scope="module")
def three_nodes(against: str) -> Iterator[Cluster]:
    """A cluster as the README's commands want one."""
    if against != "antechamber":
        pytest.skip("about our own broker")
    with Cluster(3, topics=["orders:1:3"]) as cluster:
        yield cluster


def run(*command: str, cwd: Path, **variables: str) -> str:
    """Run Python to its good end; what it printed."""
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
    """Where it names an address, only that is another, so that tests may run side by side."""
    assert DEFAULT_ADDRESS in snippet or "antechamber.Cluster(" in snippet
    run("-c", snippet.replace(DEFAULT_ADDRESS, bootstrap), cwd=tmp_path)


@pytest.mark.parametrize("snippet", TESTS)
def test_a_test_passes(snippet: str, against: str, tmp_path: Path) -> None:
    """Under pytest, with our plugin and no configuration."""
    (tmp_path / "test_snippet.py").write_text(snippet)
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)


@pytest.mark.parametrize("command", SERVES)
def test_a_broker_starts(command: str, against: str, tmp_path: Path) -> None:
    """With the options shown; it says that it is ready, and stops in good order."""
    words = shlex.split(command.removesuffix(" &"))
    assert "antechamber is ready: " in run("-m", "antechamber", *words, *BRIEFLY, cwd=tmp_path)


@pytest.mark.parametrize("command", ORDERS)
def test_a_command_is_obeyed(command: str, three_nodes: Cluster, tmp_path: Path) -> None:
    """By a running broker, in the order of the README."""
    admin = three_nodes.admin
    run("-m", "antechamber", *shlex.split(command), cwd=tmp_path, ANTECHAMBER_ADMIN=admin)
