"""The terminal output."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from pipeline.summary import Display, show
from tests.pipeline.report.findings_made import made


def test_the_summary_is_a_table() -> None:
    """Each API has a line; malformed rows are mentioned if there are any."""
    out = io.StringIO()
    show(Console(file=out, width=100), made("ours", malformed=3))

    assert "ours: 1,000 requests, 25.0% parked" in out.getvalue()
    assert "Produce" in out.getvalue()
    assert "3 malformed rows" in out.getvalue()


def test_names_are_escaped() -> None:
    """Names in foreign records may contain escape sequences."""
    one = made("ours\x1b[2J")
    one = replace(one, apis=[replace(api, name="Fetch\x1b]0;\x07") for api in one.apis])
    out = io.StringIO()
    show(Console(file=out, width=100), one)
    Display(Console(file=out)).step("reading \x1b[31m")

    assert "\x1b" not in out.getvalue()
    assert r"Fetch\x1b]0;\x07" in out.getvalue()


def test_output_without_a_terminal() -> None:
    """Each step is one line, without progress bars."""
    out = io.StringIO()
    Display(Console(file=out)).step("reading [records]")

    assert out.getvalue() == "reading [records]\n"
