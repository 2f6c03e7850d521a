"""What the terminal shows."""

from __future__ import annotations

import io

from rich.console import Console

from pipeline.summary import Display, show
from tests.pipeline.report.findings_made import made


def test_the_findings_are_a_table() -> None:
    """An API a line; malformed rows are mentioned when there are any."""
    out = io.StringIO()
    show(Console(file=out, width=100), made("ours", malformed=3))

    assert "ours: 1,000 requests, 25.0% parked" in out.getvalue()
    assert "Produce" in out.getvalue()
    assert "3 malformed rows" in out.getvalue()


def test_without_a_terminal_a_step_is_a_line() -> None:
    """Nothing blinks in the log of a CI run."""
    out = io.StringIO()
    Display(Console(file=out)).step("reading [records]")

    assert out.getvalue() == "reading [records]\n"
