"""Fixtures: the broker under test, unique names, and skips for missing requirements."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from antechamber import Cluster
from integration.clients.api_uses import CLIENTS, ApiUses
from integration.containers.engine import missing_docker
from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.java_program import Command, commands
from integration.kafka.real_kafka import RealKafka
from integration.kafka.source import missing_kafka, sources_used
from integration.kafka.tools import KafkaTools
from integration.machine.requirements import need
from integration.processes.antechamber import Antechamber, Serve
from integration.streams.applications import QUICK_GROUPS, compiled_program

# A shell that starts pytest in the background has it ignore SIGINT, which its children inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# An unexpected exception ends the brokers that the tests start.
os.environ["ANTECHAMBER_STRICT"] = "1"

# A pytest that a test starts would import Hypothesis for its summary, half of its time.
_OPTIONS = "-p no:hypothesispytest"
if _OPTIONS not in os.environ.get("PYTEST_ADDOPTS", ""):
    os.environ["PYTEST_ADDOPTS"] = f"{os.environ.get('PYTEST_ADDOPTS', '')} {_OPTIONS}".strip()

# They send signals, set limits of a process, read /proc, pass descriptors or use a POSIX shell.
POSIX_ONLY = [
    "pipeline/test_bad_input.py",
    "test_command_output.py",
    "test_crash.py",
    "test_docker.py",
    "test_documented_commands.py",
    "test_free_threaded.py",
    "test_full_disk.py",
    "test_hard_connections.py",
    "test_imitated_windows.py",
    "test_integrations.py",
    "test_limits.py",
    "test_live_page.py",
    "test_long_batches.py",
    "test_packaging.py",
    "test_pipeline_record.py",
    "test_purgatories_package.py",
    "test_serve_refusals.py",
    "test_served_examples.py",
    "test_stop.py",
    "test_tutorial.py",
]
collect_ignore = POSIX_ONLY if sys.platform == "win32" else []


def pytest_report_header() -> list[str]:
    """Name the files that are left out on this system."""
    return [f"not on Windows: {each}" for each in collect_ignore]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options: the client tests can also run against a real Kafka."""
    parser.addoption(
        "--against",
        choices=("antechamber", "kafka"),
        default="antechamber",
        help="the broker for the client tests",
    )
    parser.addoption(
        "--write-uses",
        action="store_true",
        help="write the used API versions, for docs/reference/apis.md",
    )


# Test files with skipped, failed or deselected tests, whose uses are incomplete.
_incomplete: set[str] = set()


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note the files of deselected tests."""
    _incomplete.update(item.path.stem for item in items)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the files of skipped and failed tests."""
    if not report.passed:
        _incomplete.add(Path(report.location[0]).stem)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests with missing requirements; fail them if ANTECHAMBER_REQUIRE names one."""
    for marker, missing in (
        ("jvm", _missing_jvm),
        ("docker", missing_docker),
        ("kafka", _missing_kafka),
    ):
        if item.get_closest_marker(marker):
            need(marker, missing())


_PIPELINE = "integration/pipeline"
# The tests of each share what takes long to start: a Spark, a JVM with Kafka Streams.
_TOGETHER = (_PIPELINE, "integration/test_streams_groups")
# Tests of the pipeline that do not use the shared Spark.
_APART = (f"{_PIPELINE}/test_spark_submit.py", f"{_PIPELINE}/report/test_page.py")
# pytest-xdist begins with the files of many tests. These have few tests that take long: at the end
# of a run, one process would have several of them while the others have nothing to do.
_LONG = (
    _PIPELINE,
    "integration/pipeline/test_spark_submit.py",
    "integration/test_compiled_wheel.py",
    "integration/test_purgatories_package.py",
    "integration/test_atlas.py",
    "integration/test_chaos.py",
    "integration/test_tutorial.py",
    "integration/test_three_nodes.py",
    "integration/test_three_nodes_secured.py",
    "integration/test_three_nodes_share_groups.py",
    "integration/test_three_nodes_streams_groups.py",
    "integration/test_three_nodes_transactions.py",
    "integration/test_controller_trace.py",
    "integration/test_purgatory_trace.py",
    "integration/test_demo.py",
)


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """Runs the tests of a file in one process, and so those of files that share something."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        if first := next((file for file in _LONG if file in self.workqueue), None):
            self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        file, _, _ = nodeid.partition("::")
        together = (each for each in _TOGETHER if file.startswith(each))
        return file if file in _APART else next(together, file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _Scheduling:
    """Distribute files to the processes of pytest-xdist."""
    return _Scheduling(config, log)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Report the real Kafkas of this process to the process that prints the summary."""
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["sources"] = list(sources_used)


def pytest_testnodedown(node: WorkerController) -> None:
    """Collect what the processes of pytest-xdist report."""
    sources = getattr(node, "workeroutput", {}).get("sources", ())
    sources_used.update(dict.fromkeys(sources))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which real Kafka the tests were compared with, and how it was started."""
    for source in sources_used:
        terminalreporter.write_line(f"real Kafka: {source}")


@cache
def _missing_jvm() -> str | None:
    return missing_for_a_jvm()


@cache
def _missing_kafka() -> str | None:
    return missing_kafka()


@pytest.fixture(scope="session")
def against(request: pytest.FixtureRequest) -> str:
    """The broker under test: `antechamber` or `kafka`."""
    response: str = request.config.getoption("--against")
    return response


@pytest.fixture(scope="session")
def api_uses(tmp_path_factory: pytest.TempPathFactory) -> ApiUses:
    """The recorded API uses of clients."""
    return ApiUses(tmp_path_factory.mktemp("records"))


@pytest.fixture(scope="session", autouse=True)
def _temporary_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A pytest that a test starts has its temporary directories here.

    At its end it removes those of earlier runs. In the common folder they are those of whole
    suites, and their removal can take a minute.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DEBUG_TEMPROOT", str(tmp_path_factory.mktemp("pytest")))
        yield


@pytest.fixture(scope="module", autouse=True)
def _uses_of_the_file(
    request: pytest.FixtureRequest, against: str, api_uses: ApiUses
) -> Iterator[None]:
    """When the tests of a client have passed, compare its uses with docs/reference/apis.md."""
    begin_us = time.time_ns() // 1000
    yield
    name = request.path.stem
    is_named = any("::" in argument for argument in request.config.args)
    if name not in CLIENTS or name in _incomplete or is_named or against != "antechamber":
        return
    if request.config.getoption("--write-uses"):
        time.sleep(1)  # the last records are not written yet
        api_uses.write(name, begin_us)
    else:
        api_uses.check(name, begin_us)


@pytest.fixture(scope="session")
def broker(against: str, api_uses: ApiUses) -> Iterator[Cluster | RealKafka]:
    """One broker for every test that only adds topics and groups of its own."""
    if against == "kafka":
        need("jvm", _missing_jvm())
        with RealKafka() as running:
            yield running
    else:
        with Cluster(records=api_uses.records()) as running:
            yield running


@pytest.fixture(scope="session")
def bootstrap(broker: Cluster | RealKafka) -> str:
    """The bootstrap servers of the broker."""
    return broker.bootstrap


@pytest.fixture
def cluster(against: str) -> Iterator[Callable[..., Cluster]]:
    """Start a cluster of our broker with the test's options; it ends with the test."""
    if against != "antechamber":
        pytest.skip("tests our own broker")
    with ExitStack() as running:
        yield lambda *given, **options: running.enter_context(Cluster(*given, **options))


@pytest.fixture
def serve(against: str) -> Iterator[Serve]:
    """Run our command with the test's arguments; it is stopped after the test."""
    if against != "antechamber":
        pytest.skip("tests our own process")
    with ExitStack() as running:
        yield lambda *arguments: running.enter_context(Antechamber(*arguments))


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaTools]:
    """Kafka's command-line tools, in one JVM for all tests."""
    with KafkaTools(tmp_path_factory.mktemp("classes")) as running:
        yield running


@pytest.fixture(scope="session")
def streams_broker(against: str, api_uses: ApiUses) -> Iterator[Cluster | RealKafka]:
    """A broker with short intervals for streams groups."""
    if against == "kafka":
        need("jvm", _missing_jvm())
        with RealKafka(properties=QUICK_GROUPS, quick=True) as running:
            yield running
    else:
        with Cluster(config=QUICK_GROUPS, records=api_uses.records()) as running:
            yield running


@pytest.fixture(scope="session")
def streams_program(
    streams_broker: Cluster | RealKafka, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """The command that runs instances of Kafka Streams applications."""
    return [*compiled_program(tmp_path_factory.mktemp("classes")), streams_broker.bootstrap]


@pytest.fixture(scope="session")
def streams_run(streams_program: list[str]) -> Iterator[Command]:
    """The program that runs the instances of all tests."""
    with commands(streams_program) as run:
        yield run


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A unique topic name that contains the name of the test."""
    return _unique(request.node.name)


@pytest.fixture
def group(request: pytest.FixtureRequest) -> str:
    """A unique group id."""
    return _unique(request.node.name)


def _unique(name: str) -> str:
    return f"{re.sub('[^a-zA-Z0-9._-]+', '-', name)}-{uuid.uuid4().hex[:8]}"
