"""What other projects use: the GitHub Action, the example application, the fixture of a service."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from antechamber import Cluster
from integration.example_application import APPLICATION, completed_tests, run_tests
from integration.machine.deadlines import ENDS_WITHIN_S, eventually

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yaml").read_text())
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


class Runner:
    """Runs the script of the action as a runner of GitHub does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.outputs: dict[str, str] = {}

    def start(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run the script with *inputs*, the others have their defaults."""
        defaults = {name: each["default"] for name, each in ACTION["inputs"].items()}
        given = {name.upper(): value for name, value in {**defaults, **inputs}.items()}
        outputs = self._folder / "outputs"
        environment = {**os.environ, **given, "GITHUB_OUTPUT": str(outputs)}
        environment["RUNNER_TEMP"] = str(self._folder)
        programs = Path(sys.executable).parent
        environment["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
        script = ROOT / ".github" / "action" / "start.sh"
        done = subprocess.run(
            ["bash", script],
            env=environment,
            capture_output=True,
            text=True,
            timeout=ENDS_WITHIN_S,
            check=False,
        )
        if outputs.exists():
            lines = outputs.read_text().splitlines()
            self.outputs = dict(line.split("=", 1) for line in lines)
        return done

    def stop(self) -> None:
        """Stop the broker, as the runner does at the end of the job."""
        if "pid" in self.outputs:
            os.kill(int(self.outputs["pid"]), signal.SIGTERM)
            log = self._folder / "antechamber.log"
            eventually(lambda: not (self._folder / "antechamber.json").exists(), log.read_text())


@pytest.fixture
def runner(against: str, tmp_path: Path) -> Iterator[Runner]:
    """A runner of GitHub."""
    if against != "antechamber":
        pytest.skip("starts our own broker")
    running = Runner(tmp_path)
    yield running
    running.stop()


def test_the_action_starts_a_broker_for_the_next_steps(runner: Runner) -> None:
    """The application's tests use its output; the nodes have the topics of the input."""
    done = runner.start(topics="orders shipments", brokers="2")

    assert done.returncode == 0, done.stderr
    assert set(runner.outputs) == set(ACTION["outputs"])
    assert len(runner.outputs["bootstrap"].split(",")) == 2
    assert "1 passed" in run_tests("test_in_ci.py", KAFKA_BOOTSTRAP=runner.outputs["bootstrap"])


def test_the_application_needs_the_address_of_the_broker() -> None:
    """Without it the failure is one line, which names the variable and what to give."""
    done = completed_tests("test_in_ci.py", KAFKA_BOOTSTRAP="")

    assert done.returncode == 1
    assert "KAFKA_BOOTSTRAP is not set; give the address of a running broker" in done.stdout
    assert "Traceback" not in done.stdout
    assert "KeyError" not in done.stdout


def test_the_action_fails_with_the_brokers_message(runner: Runner) -> None:
    """Options are passed to the broker."""
    done = runner.start(options="--quiet -c no.such.key=1")

    assert done.returncode == 1
    assert done.stderr.startswith("antechamber serve: -c: unknown key 'no.such.key'")
    assert done.stderr.count("\n") == 1


def test_the_action_passes_its_inputs_and_outputs() -> None:
    """By the names that the script reads and writes."""
    install, start = ACTION["runs"]["steps"]

    assert install["run"].endswith('"$GITHUB_ACTION_PATH"')
    assert {name.upper() for name in ACTION["inputs"]} == set(start["env"])
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.start.outputs.{name} }}}}"


def test_the_application_is_tested_with_the_fixture(against: str) -> None:
    """Also with a paused node."""
    if against != "antechamber":
        pytest.skip("starts our own broker")
    assert "2 passed" in run_tests("test_with_fixture.py")


def test_the_workflow_of_the_application_runs_its_tests() -> None:
    """Files and outputs that it names exist."""
    steps = yaml.safe_load((APPLICATION / "ci.yaml").read_text())["jobs"]["test"]["steps"]
    [action] = [step for step in steps if "antechamber@" in step.get("uses", "")]
    *_, last = steps

    assert set(action["with"]) <= set(ACTION["inputs"])
    assert all((APPLICATION / name).exists() for name in last["run"].split()[1:])
    [output] = re.findall(rf"steps\.{action['id']}\.outputs\.(\w+)", last["env"]["KAFKA_BOOTSTRAP"])
    assert output in ACTION["outputs"]


def test_the_development_container_runs_a_make_target() -> None:
    """And forwards the ports of the broker."""
    content = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    program, target = content["postCreateCommand"].split()

    assert (program, target in TARGETS) == ("make", True)
    assert content["forwardPorts"] == [9092, 9644]


def test_a_service_has_the_address_of_the_shared_cluster(
    kafka_service: object, shared_kafka_cluster: Cluster
) -> None:
    """As the fixtures of pytest-databases have those of other systems."""
    host, port = shared_kafka_cluster.bootstrap.split(":")

    assert kafka_service == (host, int(port))
    assert kafka_service.bootstrap_servers == shared_kafka_cluster.bootstrap  # type: ignore[attr-defined]  # KafkaService
