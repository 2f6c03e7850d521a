"""The house rules that a machine can check; CONTRIBUTING.md has the others, and the reasons."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from broker.api.dispatch import HANDLERS

ROOT = Path(__file__).parent.parent
ROOMS = ("antechamber", "broker", "pipeline", "protocol", "purgatories", "recorder")
CODE = (*ROOMS, "tests", "integration", "benchmarks", "demo", "docs")
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60

# Files without a test file of their own, and why.
UNTESTED = {
    "broker/command_line/options.py": "fields without behaviour; test_arguments fills them",
    "broker/config/entry.py": "fields without behaviour; the tests of all configs read them",
    "broker/server.py": "puts the process together; integration/ starts and stops it",
    "broker/wait_records/limits.py": "numbers",
    "broker/steps/limits.py": "numbers",
    "broker/common/errors.py": "exceptions without behaviour",
    "protocol/corrupt_records.py": "an exception without behaviour",
    "broker/admin/facts.py": "fields and a protocol without behaviour; tests/facts.py has them",
    "broker/common/topic_partition.py": "a name for two values",
    "broker/groups/classic/requests.py": "fields without behaviour",
    "broker/groups/consumer/assignors/spec.py": "fields without behaviour",
    "broker/groups/coordinator_log.py": "a protocol; tests/broker/groups/test_partition_log.py",
    "broker/groups/group.py": "a protocol; the tests of both kinds of groups",
}
# Folders of declarations, which one test holds against Kafka as a whole.
DECLARATIONS = ("protocol/messages/", "broker/config/keys/", "broker/config/idle/")
# Files that may ask for the time or wait by it without the broker's timers, and why.
TIMEKEEPERS = {
    "broker/common/clock.py": "it is the clock",
    "broker/admin/server.py": "pauses when the machine has no more file descriptors",
    "broker/network/listener.py": "pauses when the machine has no more file descriptors",
    "broker/admin/http.py": "the patience with a client of the admin interface",
}
TIME = re.compile(
    r"\btime\.\w+\(|\btrio\.(sleep|sleep_until|current_time|move_on_\w+|fail_\w+)\(|datetime\.now"
)
REAL_TIME = re.compile(
    r"\btime\.(sleep|time|monotonic|perf_counter)\b|asyncio\.sleep|datetime\.now"
)
LEFTOVER = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|home|root|Users|tmp/team)/\w")


def sources(*folders: str) -> list[str]:
    """Every Python file of these folders, as a path from the root."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(str(path.relative_to(ROOT)) for path in found)


@cache
def text(path: str) -> str:
    """The content of a file; read once."""
    return (ROOT / path).read_text()


@cache
def tree(path: str) -> ast.Module:
    """The syntax of a file; parsed once."""
    return ast.parse(text(path))


def functions(path: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", sources(*CODE))
def test_a_file_can_be_read(path: str) -> None:
    """It says what it is, is short, and has nothing left for later."""
    assert ast.get_docstring(tree(path)), "no docstring"
    assert text(path).count("\n") <= FILE_LINES_MAX
    assert not LEFTOVER.search(text(path))
    assert not MACHINE_PATH.search(text(path))
    for function in functions(path):
        lines = (function.end_lineno or 0) - function.lineno + 1
        assert lines <= FUNCTION_LINES_MAX, f"{function.name} has {lines} lines"


@pytest.mark.parametrize("path", sources(*ROOMS))
def test_a_source_file_has_its_test_file(path: str) -> None:
    """tests/ mirrors the rooms, and integration/ what only a Spark session can show.

    Messages are held against Kafka's schemas as a whole, configuration keys against its classes.
    """
    source = Path(path)
    if source.name == "__init__.py" or path.startswith(DECLARATIONS):
        return
    homes = ("tests", "integration") if source.parts[0] == "pipeline" else ("tests",)
    mirrors = [ROOT / home / source.parent / f"test_{source.name}" for home in homes]
    wanted = path not in UNTESTED
    there = any(mirror.exists() for mirror in mirrors)
    assert there == wanted, f"{mirrors[0].relative_to(ROOT)} is there: {not wanted}"


@pytest.mark.parametrize("path", sources("tests", "integration"))
def test_a_test_says_what_it_shows(path: str) -> None:
    """One sentence a test; and none of tests/ looks at a real clock."""
    for function in functions(path):
        if function.name.startswith("test_"):
            assert ast.get_docstring(function), f"{function.name} has no docstring"
    if path.startswith("tests/") and path != "tests/test_tidy.py":
        assert not REAL_TIME.search(text(path))


@pytest.mark.parametrize("path", sources("broker"))
def test_only_the_clock_knows_the_time(path: str) -> None:
    """Everything else is told, so that a test can stop the time or let it jump."""
    assert bool(TIME.search(text(path))) == (path in TIMEKEEPERS)


def test_an_api_has_the_same_name_everywhere() -> None:
    """Message file, handler file and handler are called alike, and all of them are in the table."""
    for request, handler in HANDLERS.items():
        message = request.__module__.rpartition(".")[2]
        assert handler.__module__ == f"broker.api.handlers.{message}"
        assert handler.__name__ == message
    named = {path.stem for path in (ROOT / "broker/api/handlers").glob("*.py")}
    messages = {path.stem for path in (ROOT / "protocol/messages").glob("*.py")} - {"__init__"}
    assert named & messages == {handler.__name__ for handler in HANDLERS.values()}
