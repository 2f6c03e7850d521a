"""The queries of docs/reference/analysis.md read the tables through the manifest."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from integration.machine.requirements import need
from integration.pipeline.conftest import RECORDS
from pipeline.output.store import Store

pytestmark = pytest.mark.jvm

PAGE = Path(__file__).parents[2].joinpath("docs", "reference", "analysis.md").read_text()
SECTION = PAGE.split("\n## Read the tables\n")[1].split("\n### Delta Lake\n")[0]


def block(language: str, containing: str) -> str:
    """The one block of the section with a text in it."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
    [found] = [each for each in blocks if containing in each]
    return str(found)


@pytest.fixture
def folder(analysed: Store, tmp_path: Path) -> Path:
    """A working directory with the tables under the name of the page."""
    (tmp_path / "wait-analysis").symlink_to(analysed.out)
    return tmp_path


def missing(*modules: str) -> str | None:
    """The modules that are not installed."""
    absent = [name for name in modules if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else None


def printed(folder: Path, code: str) -> str:
    """What a program prints in the folder."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_spark_reads_a_table(spark: SparkSession, analysed: Store) -> None:
    """All requests are in it."""
    names: dict[str, Any] = {"spark": spark}
    # Relative paths are those of the folder in which Java was started.
    code = block("python", "spark.read").replace("wait-analysis", analysed.out)
    exec(code, names)  # code of the documentation

    rows = names["waits"].where("scope = 'request'").groupBy().sum("requests").collect()
    assert rows[0][0] == RECORDS


def test_duckdb_reads_a_table(folder: Path) -> None:
    """The longest times of the APIs are those of the table."""
    need("duckdb", missing("duckdb"))
    *settings, query = block("sql", "read_parquet").split(";")[:-1]
    code = f"import duckdb\n[duckdb.sql(each) for each in {settings!r}]\n"
    rows = printed(folder, f"{code}print(len(duckdb.sql({query!r}).fetchall()))")

    assert int(rows) == 4


def test_pandas_reads_a_table(folder: Path) -> None:
    """All requests are in it."""
    need("pandas", missing("pandas", "pyarrow"))
    code = block("python", "pandas")
    requests = printed(folder, f"{code}\nprint(waits[waits.scope == 'request'].requests.sum())")

    assert int(requests) == RECORDS
