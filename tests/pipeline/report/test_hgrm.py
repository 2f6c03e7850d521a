"""Histograms in the text format of HdrHistogram."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.errors import PipelineError
from pipeline.report.hgrm import distribution, write_histograms
from tests.pipeline.found import api, findings

_ROW = re.compile(r" *([\d.]+) ([01]\.\d{12}) +(\d+)(?: +([\d.]+))?")


def rows(text: str) -> list[tuple[float, float, int]]:
    """Value, percentile and count of each line between the head and the figures at the end."""
    found = [_ROW.fullmatch(line) for line in text.splitlines()[2:-3]]
    return [(float(row[1]), float(row[2]), int(row[3])) for row in found if row]


def test_percentiles_approach_one() -> None:
    """Five steps for each halving; the last line is the maximum."""
    text = distribution(api("Fetch", range(1, 129)))
    found = rows(text)

    assert len(found) == len(text.splitlines()) - 5
    assert [share for _, share, _ in found][:7] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55])
    assert found[-1] == (0.128, 1.0, 128)
    assert all(count - 1.001 < share * 128 <= count for _, share, count in found[1:])
    assert all(round(value * 1000) == count for value, _, count in found)


def test_head_and_figures() -> None:
    """The head names the columns; the last lines have mean, deviation, maximum and count."""
    lines = distribution(api("Fetch", [1000, 3000])).splitlines()

    assert lines[0].split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    assert lines[-2] == "#[Max     =        3.000, Total count    =            2]"
    mean, deviation = map(float, re.findall(r"= +([\d.]+)", lines[-3]))
    assert (mean, deviation) == pytest.approx((2.0, 1.0), rel=1 / 128)


def test_a_file_for_each_api(tmp_path: Path) -> None:
    """Names of APIs, which may be any text of a record, become names of files."""
    found = findings("x", api("Fetch", [1]), api("../a", [1]))
    write_histograms(f"{tmp_path}/out", found)

    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Fetch.hgrm", "___a.hgrm"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """The error names the option."""
    (tmp_path / "file").write_text("")
    with pytest.raises(PipelineError, match=r"--hgrm .*file: "):
        write_histograms(f"{tmp_path}/file", findings("x"))
