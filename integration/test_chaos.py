"""Programs with real clients under schedules of faults, by ``antechamber chaos``."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # no types there
import pytest
import yaml

from antechamber.chaos.draw import draw
from antechamber.chaos.trial import Laboratory
from integration.machine.deadlines import eventually

PROGRAMS = Path(__file__).parent / "chaos"
SHOP = [sys.executable, str(PROGRAMS / "shop.py")]
CHAOS = [sys.executable, "-m", "antechamber", "chaos"]
ON_ORDERS = ["--brokers", "1", "--topic", "orders", "--timeout", "90"]
# Lost responses and errors of Produce requests are drawn from it.
SEED = "7"
REPLAYS = 20
WITHIN_S = 300


@pytest.fixture(autouse=True)
def _only_antechamber(against: str) -> None:
    if against != "antechamber":
        pytest.skip("starts clusters of its own")


def chaos(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run(
        [*CHAOS, *words], capture_output=True, text=True, timeout=WITHIN_S, check=False
    )


def test_a_schedule_hits_the_same_requests_each_time() -> None:
    """Of twenty runs: the same rules, clients, APIs and numbers of requests, in order."""
    laboratory = Laboratory([*SHOP, "idempotent"], {"brokers": 1, "topics": ["orders"]}, 90)

    trials = [laboratory.run(draw(int(SEED), 1)) for _ in range(REPLAYS)]

    assert [trial.outcome.description for trial in trials] == ["exit code 0"] * REPLAYS
    assert {firing.api for firing in trials[0].firings} >= {"Produce"}
    assert len({trial.firings for trial in trials}) == 1


def test_a_wrong_program_is_found_and_its_schedule_shrunk(tmp_path: Path) -> None:
    """A producer without idempotence needs one lost response; the schedule replays the failure."""
    path = tmp_path / "lost.yaml"
    words = ["--seed", SEED, *ON_ORDERS, "--output", str(path), "--against", *SHOP]
    done = chaos(*words)
    assert done.returncode == 1, done.stderr

    rules: list[dict[str, Any]] = yaml.safe_load(path.read_text())["rules"]
    assert [rule["action"] for rule in rules] == [{"type": "close", "when": "after"}]
    assert rules[0]["match"] == {"api": "Produce"}
    replayed = chaos("--schedule", str(path), *ON_ORDERS, "--against", *SHOP)
    assert replayed.returncode == 1, replayed.stderr
    assert "Produce of client 'shop'" in replayed.stdout


def test_a_correct_program_survives() -> None:
    """On three nodes, of which some stop or pause; an idempotent producer stores no order twice."""
    options = ["--seed", SEED, "--seeds", "4", "--topic", "orders", "--timeout", "90"]
    done = chaos(*options, "--against", *SHOP, "idempotent")

    assert done.returncode == 0, done.stderr


def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    """The program and the broker end."""
    started = tmp_path / "started"
    program = [sys.executable, str(PROGRAMS / "endless.py"), str(started)]
    with subprocess.Popen(
        [*CHAOS, "--seed", SEED, "--brokers", "1", "--against", *program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        eventually(started.exists, "the program has started", within=60)
        processes = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)

    assert process.returncode == 130, output
    assert len(processes) >= 2
    assert psutil.wait_procs(processes, timeout=60)[1] == []
