"""The rules of the repository that can be checked automatically; see CONTRIBUTING.md."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from broker.api.packages import PACKAGES
from broker.api.table import ALL_APIS
from compiling.modules import deciding_entry, modules
from protocol.apis import APIS, Api

ROOT = Path(__file__).parent.parent
ROOMS = ("antechamber", "broker", "pipeline", "protocol", "purgatories", "recorder")
CODE = (*ROOMS, "compiling", "tests", "integration", "benchmarks", "demo", "docs")
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60

# Files that are started by name or path and imported by nothing.
STARTED = ("antechamber/launch.py", "antechamber/pytest_plugin.py")
# Folders of declarations, which are compared with Kafka's as a whole.
DECLARATIONS = ("protocol/messages", "broker/config/keys", "broker/config/unused")
# Files that may read the time or wait for it without the broker's timers, and why.
TIMEKEEPERS = {
    "broker/common/clock.py": "it is the clock",
    "broker/clock_control/control.py": "waits in real time until the event loop is idle",
    "broker/reset/transactions.py": "waits in real time for the end of transactions",
    "broker/admin/accept.py": "pauses when the process has no more file descriptors",
    "broker/network/listeners/acceptor.py": "pauses when the process has no more file descriptors",
    "broker/steps/offload.py": "computations in threads take real time",
    "broker/admin/http.py": "the timeouts of clients of the admin interface",
    "broker/what_if/replay.py": "plays a recording in virtual time",
    "broker/what_if/replayed_clients.py": "its clients live in virtual time",
    "broker/security/tls/contexts.py": "certificates are valid at times of the real world",
}
TIME = re.compile(
    r"\btime\.\w+\(|\btrio\.(sleep|sleep_until|current_time|move_on_\w+|fail_\w+)\(|datetime\.now"
)
REAL_TIME = re.compile(
    r"\btime\.(sleep|time|monotonic|perf_counter)\b|asyncio\.sleep|datetime\.now"
)
# Files of tests that may name it: this one, and one whose event loop has virtual time.
VIRTUAL_TIME = ("tests/test_tidy.py", "tests/purgatories/timer/test_asyncio_reaper.py")
LEFTOVER = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b")
WITHOUT_REASON = re.compile(r"# (noqa(: [A-Z0-9, ]+)?|type: ignore(\[[a-z, -]+\])?)$", re.MULTILINE)
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|home|root|Users|tmp/team)/\w")


def sources(*folders: str) -> list[str]:
    """The Python files of these folders, as paths relative to the root."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(str(path.relative_to(ROOT)) for path in found)


@cache
def text(path: str) -> str:
    """The content of a file, cached."""
    return (ROOT / path).read_text()


class Function(NamedTuple):
    """A function or a method of a file."""

    name: str
    lines: int
    has_docstring: bool


class Content(NamedTuple):
    """What the rules read of a file."""

    has_docstring: bool
    functions: list[Function]
    imported: set[str]


def module(path: str) -> str:
    """The name under which a file is imported."""
    return ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")


@cache
def content(path: str) -> Content:
    """The content of a file, cached; its syntax tree, which takes much more memory, is not."""
    tree = ast.parse(text(path))
    functions, names = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            functions.append(Function(node.name, lines, ast.get_docstring(node) is not None))
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = ".".join(Path(path).parts[: -node.level]) if node.level else ""
            source = ".".join(filter(None, [package, node.module]))
            names |= {f"{source}.{alias.name}" for alias in node.names}
    return Content(bool(ast.get_docstring(tree)), functions, names)


def imported(path: str) -> set[str]:
    """The modules that a file imports, with their packages; names of other objects may occur."""
    parts = [name.split(".") for name in content(path).imported]
    return {".".join(each[: index + 1]) for each in parts for index in range(len(each))}


@pytest.mark.parametrize("path", sources(*CODE))
def test_a_file_can_be_read(path: str) -> None:
    """It has a docstring, is short, and has no open tasks, local paths or unexplained errors."""
    assert content(path).has_docstring, "no docstring"
    assert text(path).count("\n") <= FILE_LINES_MAX
    assert not LEFTOVER.search(text(path))
    assert not MACHINE_PATH.search(text(path))
    assert not WITHOUT_REASON.search(text(path)), "an ignored error has no reason"
    for function in content(path).functions:
        assert function.lines <= FUNCTION_LINES_MAX, f"{function.name} has {function.lines} lines"


def test_each_module_is_reached_by_tests() -> None:
    """Tests import each module of the packages, directly or through other modules."""
    commands = [path for path in sources(*ROOMS) if path.endswith("__main__.py")]  # started
    reached = {name for path in sources("tests", "integration") for name in imported(path)}
    # The command line imports the module of a command by its name; this file imports all of them.
    roots = [*commands, "docs/parsers.py"]
    reached |= {name for path in roots for name in imported(path)}
    # What serves an API is imported by its name; there are tests of all APIs.
    for request, handler in filter(None, map(ALL_APIS.get, APIS)):
        reached |= {request.__module__, handler.__module__}
    reached |= {f"broker.api.error_responses.{package}" for package in PACKAGES.values()}
    missing = {module(path): path for path in sources(*ROOMS) if path not in commands}
    while found := reached & missing.keys():
        for name in found:
            reached |= imported(missing.pop(name))
    assert set(missing.values()) == set(STARTED)


@pytest.mark.parametrize("folder", sorted({str(Path(path).parent) for path in sources(*ROOMS)}))
def test_each_package_has_its_folder_of_tests(folder: str) -> None:
    """The tests of a package are in the folder of the same path in tests/."""
    if folder not in DECLARATIONS:
        assert list((ROOT / "tests" / folder).rglob("test_*.py"))


@pytest.mark.parametrize("path", sources("tests", "integration"))
def test_a_test_has_a_docstring(path: str) -> None:
    """Each test has a docstring, and no test in tests/ reads a real clock."""
    for function in content(path).functions:
        if function.name.startswith("test_"):
            assert function.has_docstring, f"{function.name} has no docstring"
    if path.startswith("tests/") and path not in VIRTUAL_TIME:
        assert not REAL_TIME.search(text(path))


@pytest.mark.parametrize("path", sources("broker"))
def test_only_the_clock_reads_the_time(path: str) -> None:
    """All other code gets the time passed in, so that tests control it."""
    assert bool(TIME.search(text(path))) == (path in TIMEKEEPERS)


def test_an_api_has_the_same_name_everywhere() -> None:
    """Message file, handler file and handler have the same name and are in the table."""
    names = {api.snake_case_name for api in APIS.values()}
    messages = {path.stem for path in (ROOT / "protocol/messages").glob("*.py")} - {"__init__"}
    handlers = [path.stem for path in (ROOT / "broker/api/handlers").rglob("*.py")]
    assert messages == names
    assert [handlers.count(name) for name in names] == [1] * len(names)


@pytest.mark.parametrize("api", APIS.values(), ids=lambda api: api.name)
def test_a_handler_is_declared_for_the_requests_of_its_api(api: Api) -> None:
    """The handler is imported by its name, so mypy does not compare the class of the requests."""
    served = ALL_APIS.get(api.key)
    assert served is not None
    source = ROOT / f"{served[1].__module__.replace('.', '/')}.py"
    [handler] = [
        node
        for node in ast.parse(source.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name == api.snake_case_name
    ]
    first = handler.args.args[0].annotation
    assert first is not None
    assert ast.unparse(first) == f"Request[{served[0].__name__}]"


def test_each_module_is_compiled_or_has_a_reason() -> None:
    """A package of the broker has an entry in `compiling.modules`."""
    assert [name for name in modules(ROOT) if deciding_entry(name) is None] == []
