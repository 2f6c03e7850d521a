"""The analysis from arguments to a page, in this process, with the session of the tests."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from pipeline import analysis
from pipeline.arguments import parse
from pipeline.summary import Display
from tests.pipeline.wait_records import json_lines, wait_records

pytestmark = pytest.mark.jvm


@pytest.fixture
def display(one_session: None) -> Display:
    """A captured terminal."""
    return Display(Console(file=io.StringIO(), width=100))


def test_two_sets_are_compared(
    display: Display, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each has tables of its own, and both are in one page, even without deliveries."""
    others = [each for each in wait_records(60, seed=2) if not each["partitions"]]
    for name, records in (("ours", wait_records(60)), ("theirs", others)):
        (tmp_path / name).write_text(json_lines(records))
    names = (str(tmp_path / "ours"), str(tmp_path / "theirs"))
    analysis.run(parse(["--compare", *names, "--out", str(tmp_path / "out")]), display)

    page = (tmp_path / "out" / "report.html").read_text()
    assert f"{names[0]} against {names[1]}" in page
    assert (tmp_path / "out" / "b" / "tables" / "latency").is_dir()
    assert capsys.readouterr().out == f"report: {tmp_path / 'out' / 'report.html'}\n"


def test_catching_up_ends_with_a_page(display: Display, tmp_path: Path) -> None:
    """A folder of files is streamed once."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_text(json_lines(wait_records(60)))
    words = [f"{tmp_path}/in", "--catch-up", "--out", f"{tmp_path}/out", "--report"]
    analysis.run(parse([*words, f"{tmp_path}/page.html"]), display)

    assert "<b>60</b><span>requests</span>" in (tmp_path / "page.html").read_text()
