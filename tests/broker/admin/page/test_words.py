"""The page has words for everything that a wait record can contain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.broker.admin.page.test_files import texts

RECORDS = (Path(__file__).parents[4] / "docs" / "reference" / "records.md").read_text()
REMEDY = "add it to broker/admin/page/static/explain.js"


def documented(section: str) -> set[str]:
    """The names in the first column of the first table of a section."""
    _, _, after = RECORDS.partition(f"## {section}\n")
    table = after[after.index("\n|") + 1 :].partition("\n\n")[0]
    return set(re.findall(r"^\| `(\w+)` \|", table, flags=re.MULTILINE))


def worded(table: str) -> set[str]:
    """The keys of a table of explain.js."""
    _, _, after = texts()["/page/explain.js"].partition(f"const {table} = {{")
    return set(re.findall(r"^  (\w+):", after.partition("\n};")[0], flags=re.MULTILINE))


@pytest.mark.parametrize(
    ("section", "table"), [("`waited_for`", "AWAITED"), ("`completed_by`", "COMPLETED")]
)
def test_each_documented_name_has_words(section: str, table: str) -> None:
    """Kinds of conditions and causes of completions; a name without words is shown as it is."""
    assert documented(section)
    assert not documented(section) - worded(table), REMEDY
