"""The README's Python runs as it stands there, against a broker of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
DEFAULT_ADDRESS = "127.0.0.1:9092"


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_snippet_runs(snippet: str, bootstrap: str) -> None:
    """Only the address is another, so that tests may run side by side."""
    assert DEFAULT_ADDRESS in snippet
    script = snippet.replace(DEFAULT_ADDRESS, bootstrap)

    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.returncode == 0, ran.stderr
