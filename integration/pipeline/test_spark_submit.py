"""The job under spark-submit, as on a cluster."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from integration.pipeline.conftest import SMALL
from tests.pipeline.wait_records import json_lines, wait_records

pytestmark = pytest.mark.jvm

ROOT = Path(__file__).parents[2]
SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"


def test_spark_submit_runs_it_unchanged(tmp_path: Path) -> None:
    """Spark chooses the master; the working directory does not matter."""
    (tmp_path / "records.jsonl").write_text(json_lines(wait_records(100)))
    settings = [argument for pair in SMALL.items() for argument in ("--conf", "=".join(pair))]
    command = [str(SUBMIT), "--master", "local[2]", *settings]
    command += [str(ROOT / "pipeline" / "__main__.py"), "records.jsonl", "--out", "out"]
    loopback = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, **loopback, "PYSPARK_DRIVER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("report: out/report.html\n")
    assert (tmp_path / "out" / "tables.json").exists()
