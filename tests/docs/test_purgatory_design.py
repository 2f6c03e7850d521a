"""The page of the design of purgatories names code and tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "explanation" / "purgatory-design.md").read_text()
STATEMENTS = re.findall(r"^\* (.*?)(?=^\S|\Z)", PAGE, re.MULTILINE | re.DOTALL)
REFERENCE = re.compile(r"`([\w/]+\.py)(?:::([\w.]+))?`")


@cache
def defined(path: Path) -> set[str]:
    """The names that a file defines: functions, classes, Class.method, and assigned names."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            if isinstance(node, ast.ClassDef):
                methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
                names |= {f"{node.name}.{method.name}" for method in methods}
    return names


def located(file: str, folder: str) -> Path:
    """The path of a file of the page; those of other tests begin at the root."""
    is_at_root = file.startswith(("tests/", "integration/"))
    return ROOT / file if is_at_root else ROOT / folder / file


def references(text: str, folder: str) -> list[tuple[Path, str]]:
    """The files and names that a part of the page refers to."""
    return [(located(file, folder), name) for file, name in REFERENCE.findall(text)]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda text: text.split(".")[0][:60])
def test_a_statement_has_code_and_tests_that_exist(statement: str) -> None:
    """The code is in the package, and each test can be found by its name."""
    _, code, rest = re.split(r"^  (?:Code|Test): ", statement, flags=re.MULTILINE)
    test, *_deviation = re.split(r"^  Here: ", rest, flags=re.MULTILINE)

    for text, folder in ((code, "purgatories"), (test, "tests/purgatories")):
        named = references(text, folder)
        assert named
        assert text.count("`") == 2 * len(named), "a reference is FILE::NAME"
        for path, name in named:
            assert name in defined(path)


def test_the_introduction_names_files_that_exist() -> None:
    """They concern the design as a whole."""
    introduction = PAGE.split("\n## ")[0]

    named = references(introduction, "tests/purgatories")
    assert named
    assert all(path.is_file() for path, _ in named)


def test_each_module_of_the_package_is_on_the_page() -> None:
    """A module without a statement would be a part of the design that the page omits."""
    package = ROOT / "purgatories"
    named = {path for text in STATEMENTS for path, _ in references(text, "purgatories")}

    # Marks are for the compiler, and do nothing at run time.
    beside = {"__init__.py", "marks.py"}
    modules = {path for path in package.rglob("*.py") if path.name not in beside}
    assert modules <= named
