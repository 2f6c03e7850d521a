"""The pytest plugin with the workers of pytest-xdist, which are processes with brokers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from antechamber import RunningCluster
from integration.machine.deadlines import ENDS_WITHIN_S, eventually

# Each test writes the address of its cluster to a file.
HEAD = """
import os
import time
from pathlib import Path

import pytest


def note(kafka_cluster, name):
    worker = os.environ.get("PYTEST_XDIST_WORKER", "none")
    new = Path(f"{name}.{worker}.new")
    new.write_text(kafka_cluster.admin)
    new.rename(f"{name}.{worker}.admin")  # complete, also if the worker is killed meanwhile
"""
TESTS = f"""{HEAD}

@pytest.mark.parametrize("number", range(6))
def test_of_any_worker(kafka_cluster, number):
    note(kafka_cluster, number)
    assert kafka_cluster.cluster()["nodes"]
"""
PREFIXED = f"""{HEAD}

@pytest.mark.parametrize("number", range(6))
def test_with_names_of_its_own(kafka_cluster, kafka_prefix, number):
    note(kafka_cluster, number)
"""
CRASH = f"""{HEAD}

def test_of_a_worker_that_ends(kafka_cluster):
    note(kafka_cluster, "crash")
    os._exit(1)
"""
SLOW = f"""{HEAD}

@pytest.mark.parametrize("number", range(2))
def test_that_does_not_end(kafka_cluster, number):
    note(kafka_cluster, number)
    time.sleep(600)
"""

# The other plugins take seconds to import, in each process.
PLUGINS = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "xdist.plugin,antechamber.pytest_plugin",
}

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(against: str, tmp_path: Path) -> Iterator[Start]:
    """Start pytest on a file with tests; it does not outlive the test."""
    if against != "antechamber":
        pytest.skip("tests our own plugin")

    def start(tests: str, *options: str) -> subprocess.Popen[str]:
        (tmp_path / "test_clusters.py").write_text(tests)
        run = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
            cwd=tmp_path,
            env={**os.environ, **PLUGINS},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        runs.callback(finished, run)
        runs.callback(run.kill)
        return run

    with ExitStack() as runs:
        yield start


def finished(run: subprocess.Popen[str]) -> str:
    """The output of a run that ends by itself."""
    out, _ = run.communicate(timeout=ENDS_WITHIN_S)
    return out


def used(folder: Path) -> dict[str, set[str]]:
    """The addresses of the clusters that each worker has used."""
    clusters: dict[str, set[str]] = {}
    for path in folder.glob("*.admin"):
        clusters.setdefault(path.name.split(".")[1], set()).add(path.read_text())
    return clusters


def have_ended(folder: Path) -> bool:
    """Whether no broker responds that a worker has used."""
    admins = set().union(*used(folder).values())
    return not any(RunningCluster(admin).is_running for admin in admins)


def test_each_worker_has_its_own_broker(start: Start, tmp_path: Path) -> None:
    """By default."""
    run = start(TESTS, "-n", "2")

    assert "6 passed" in finished(run)
    [one], [two] = used(tmp_path).values()
    assert one != two
    assert have_ended(tmp_path)


@pytest.mark.parametrize("distribution", ["load", "loadscope"])
def test_workers_share_a_broker(distribution: str, start: Start, tmp_path: Path) -> None:
    """It ends with the session, and not with the first worker."""
    run = start(TESTS, "-n", "2", "--dist", distribution, "--antechamber-shared")

    assert "6 passed" in finished(run)
    assert len(set().union(*used(tmp_path).values())) == 1
    assert have_ended(tmp_path)


def test_tests_that_share_a_broker_remove_what_has_their_prefix(
    start: Start, tmp_path: Path
) -> None:
    """Other resets are refused, since they would affect tests of other workers."""
    assert "6 passed" in finished(start(PREFIXED, "-n", "2", "--antechamber-shared"))
    assert len(set().union(*used(tmp_path).values())) == 1


@pytest.mark.parametrize("options", [["-p", "no:xdist.plugin"], ["-n", "0"]])
def test_without_workers_there_is_nothing_to_share(
    options: list[str], start: Start, tmp_path: Path
) -> None:
    """The option has no effect."""
    assert "6 passed" in finished(start(TESTS, *options, "--antechamber-shared"))
    assert have_ended(tmp_path)


@pytest.mark.parametrize("options", [[], ["--antechamber-shared"]], ids=["own", "shared"])
def test_a_worker_that_crashes_leaves_no_broker(
    options: list[str], start: Start, tmp_path: Path
) -> None:
    """The tests after it run on another worker, and pass."""
    out = finished(start(TESTS + CRASH, "-n", "2", *options))

    assert "1 failed, 6 passed" in out
    eventually(lambda: have_ended(tmp_path), "the end of the brokers")


@pytest.mark.parametrize("options", [[], ["--antechamber-shared"]], ids=["own", "shared"])
def test_an_interrupted_session_leaves_no_broker(
    options: list[str], start: Start, tmp_path: Path
) -> None:
    """The controller ends its workers."""
    run = start(SLOW, "-n", "2", *options)
    eventually(lambda: len([*tmp_path.glob("*.admin")]) == 2, "two tests in progress")
    run.send_signal(signal.SIGINT)

    finished(run)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    eventually(lambda: have_ended(tmp_path), "the end of the brokers")


def test_a_controller_that_is_killed_leaves_no_broker(start: Start, tmp_path: Path) -> None:
    """The brokers end with the pipes to their parent."""
    run = start(SLOW, "-n", "2", "--antechamber-shared")
    eventually(lambda: len([*tmp_path.glob("*.admin")]) == 2, "two tests in progress")
    os.killpg(run.pid, signal.SIGKILL)

    finished(run)
    eventually(lambda: have_ended(tmp_path), "the end of the brokers")


def test_a_session_that_fails_at_collection(start: Start, tmp_path: Path) -> None:
    """It starts no broker, and ends."""
    run = start("import absent", "-n", "2", "--antechamber-shared")

    assert "No module named 'absent'" in finished(run)
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert used(tmp_path) == {}
