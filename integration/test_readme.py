"""The Python of the README and of the how-to pages runs as it is shown.

A snippet that starts with ```` ```python no-run ```` needs more than a broker and is not run.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from integration.machine.deadlines import ENDS_WITHIN_S

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [README, *(page.read_text() for page in sorted(ROOT.glob("docs/how-to/*.md")))]
INDEX = (ROOT / "docs" / "index.md").read_text()
TEXT = "\n".join([*PAGES, INDEX])
SNIPPETS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
TESTS = [each for each in SNIPPETS if re.search(r"^(async )?def test_", each, re.MULTILINE)]
SCRIPTS = [snippet for snippet in SNIPPETS if snippet not in TESTS]
DEFAULT_ADDRESS = "127.0.0.1:9092"


def run(*command: str, cwd: Path) -> None:
    """Run Python, and check that it succeeds."""
    ran = subprocess.run(
        [sys.executable, *command],
        input="",
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


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
