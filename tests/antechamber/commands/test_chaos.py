"""The ``antechamber chaos`` command, with runs that the test imitates."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from antechamber.admin_errors import NoBroker
from antechamber.broker_process import StartError
from antechamber.chaos.draw import draw
from antechamber.chaos.program import Outcome
from antechamber.chaos.shrink import Rule
from antechamber.chaos.trial import Firing, Laboratory, Trial
from antechamber.cli import main
from tests.hang_up import default_hang_up


class Runs:
    """The runs of the command: their laboratory and rules, and what they return or raise."""

    def __init__(self) -> None:
        self.laboratories: list[Laboratory] = []
        self.rules: list[list[Rule]] = []
        self.failing = "nothing"
        self.are_firing = True
        self.error: BaseException | None = None

    def run(self, laboratory: Laboratory, rules: Sequence[Rule]) -> Trial:
        """Fail if the name of a rule contains the text `failing`, which may be empty."""
        self.laboratories.append(laboratory)
        self.rules.append(list(rules))
        if self.error is not None:
            raise self.error
        names = [rule.get("name") for rule in rules]
        failed = self.failing == "" or any(self.failing in str(name) for name in names)
        firings = [Firing(at, name, "Produce", "app", 3) for at, name in enumerate(names)]
        firings = firings if self.are_firing else []
        return Trial(Outcome(int(failed), 1.0, "oops\n"), tuple(firings))


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    """No broker and no program are started."""
    imitated = Runs()

    def run(laboratory: Laboratory, rules: Sequence[Rule]) -> Trial:
        return imitated.run(laboratory, rules)

    monkeypatch.setattr(Laboratory, "run", run)
    return imitated


def test_a_drawn_schedule_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """As YAML, without a program."""
    assert main(["chaos", "--seed", "7"]) == 0
    printed = yaml.safe_load(capsys.readouterr().out)

    assert printed == {"schedule": 1, "seed": 7, "rules": draw(7, 3)}


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """It is JSON."""
    assert main(["chaos", "--schema"]) == 0

    assert json.loads(capsys.readouterr().out)["type"] == "object"


def test_a_program_that_survives(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    """It runs without faults and then once for each seed; stdout is empty."""
    assert main(["chaos", "--seed", "4", "--seeds", "2", "--against", "app", "-x"]) == 0

    assert runs.rules == [[], draw(4, 3), draw(5, 3)]
    assert runs.laboratories[0].words == ["app", "-x"]
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 3)


def test_a_program_that_matches_no_rule(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    """The last line warns that it perhaps does not use the cluster; the exit code is the same."""
    runs.are_firing = False
    assert main(["chaos", "--seed", "1", "--seeds", "2", "--against", "true"]) == 0

    assert capsys.readouterr().err.splitlines()[-1] == (
        "warning: no rule fired in any run; does the program connect to KAFKA_BOOTSTRAP_SERVERS?"
    )


def test_the_options_of_the_clusters(runs: Runs) -> None:
    """A setting of the command line has precedence over those for chaos."""
    options = ["--brokers", "2", "--topic", "orders:4", "-c", "min.insync.replicas=2"]
    assert main(["chaos", "--seed", "1", *options, "--timeout", "9", "--against", "app"]) == 0

    laboratory = runs.laboratories[0]
    assert laboratory.timeout_s == 9
    assert laboratory.cluster == {
        "brokers": 2,
        "topics": ["orders:4"],
        "config": {"default.replication.factor": "2", "min.insync.replicas": "2"},
    }


def test_a_failing_schedule_is_printed(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    """Shrunk, with what it did and the command that repeats it."""
    runs.failing = "lost-response"
    words = ["chaos", "--seed", "1", "--seeds", "99", "--topic", "a b", "--against", "app", "-x y"]
    assert main(words) == 1

    out, err = capsys.readouterr()
    [rule] = yaml.safe_load(out)["rules"]
    assert rule["action"] == {"type": "close", "when": "after"}
    name = rule["name"]
    assert out.splitlines()[:4] == [
        "# The program fails with this schedule: exit code 1.",
        f"# Fired rule 1 ({name!r}): match 3, Produce of client 'app'.",
        "# To replay it:",
        (
            "#   antechamber chaos --schedule schedule.yaml --brokers 3 --topic 'a b' "
            "--against app '-x y'"
        ),
    ]
    assert "  | oops" in err.splitlines()


def test_a_command_of_several_lines_remains_a_comment(
    runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output is YAML whatever the arguments of the program are."""
    runs.failing = "e"
    assert main(["chaos", "--seed", "1", "--against", "python", "-c", "a()\nrules: b()"]) == 1

    assert set(yaml.safe_load(capsys.readouterr().out)) == {"schedule", "seed", "rules"}


def test_a_failing_schedule_is_written_to_a_file(
    runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command that repeats it names the file."""
    runs.failing = "error"
    path = tmp_path / "failing.yaml"
    output = ["--output", str(path)]
    assert main(["chaos", "--seed", "1", *output, "--timeout", "9", "--against", "app"]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == (
        f"{path} has the schedule; to replay it: antechamber chaos --schedule {path} "
        "--brokers 3 --timeout 9 --against app"
    )
    assert main(["chaos", "--schedule", str(path), "--against", "app"]) == 1
    assert runs.rules[-1] == yaml.safe_load(path.read_text())["rules"]


def test_a_schedule_of_a_file_has_one_run(runs: Runs, tmp_path: Path) -> None:
    """It is shrunk only on request."""
    runs.failing = "a"
    path = tmp_path / "s.yaml"
    path.write_text("rules: [{name: a, times: 2}, {name: b}]")
    assert main(["chaos", "--schedule", str(path), "--against", "app"]) == 1
    assert len(runs.rules) == 1

    words = ["chaos", "--schedule", str(path), "--shrink-runs", "20", "--against", "app"]
    assert main(words) == 1
    assert [{"name": "a", "times": 1}] in runs.rules


def test_the_source_of_a_schedule_is_its_file(runs: Runs, tmp_path: Path) -> None:
    """Errors in its rules name the file."""
    path = tmp_path / "s.yaml"
    path.write_text("rules: [{name: a}]")
    assert main(["chaos", "--schedule", str(path), "--against", "app"]) == 0

    assert runs.laboratories[0].source == str(path)


def test_a_program_that_always_fails(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    """No schedule is run; the exit code differs."""
    runs.failing = ""
    assert main(["chaos", "--seed", "1", "--against", "app"]) == 3

    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == "the program fails without faults; no schedule was run"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give either --seed N or --schedule FILE"),
        (["--seed", "1", "--schedule", "x"], "give either --seed N or --schedule FILE"),
        (["--seed", "-1"], "--seed: '-1' is not a whole number from 0 to 18446744073709551615"),
        (["--seed", str(2**64 - 1), "--seeds", "2"], "--seeds: the last seed is greater than"),
        (["--schedule", "x"], "--against: give a program and its arguments"),
        (["--seed", "1", "--against"], "--against: give a program and its arguments"),
        (["--seed", "1", "-c", "a", "--against", "app"], "-c: 'a' is not KEY=VALUE"),
        (["--schedule", "x", "--against", "app"], "cannot read x: No such file or directory"),
    ],
)
def test_an_invalid_command_line(
    runs: Runs, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error is one line that names the option."""
    assert main(["chaos", *words]) == 2

    err = capsys.readouterr().err
    assert err.startswith(f"antechamber chaos: {message}")
    assert err.count("\n") == 1
    assert runs.rules == []


@pytest.mark.parametrize(
    "error",
    [StartError("-c: unknown key 'a'"), NoBroker("the broker has ended with exit code 1: no disk")],
)
def test_a_broker_that_does_not_start_or_ends(
    runs: Runs, error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error is the broker's."""
    runs.error = error
    assert main(["chaos", "--seed", "1", "-c", "a=1", "--against", "app"]) == 2

    assert capsys.readouterr().err == f"antechamber chaos: {error}\n"


def test_an_output_that_cannot_be_written(
    runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error is reported before the first run, with the reason of the system."""
    path = tmp_path / "missing" / "s.yaml"
    assert main(["chaos", "--seed", "1", "--output", str(path), "--against", "app"]) == 2

    err = capsys.readouterr().err
    assert err == f"antechamber chaos: --output: cannot write {path}: No such file or directory\n"
    assert runs.rules == []


def test_an_output_that_cannot_be_written_after_the_runs(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The schedule is printed, and its comment does not name the file."""
    runs.failing = "error"

    def write(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", write)
    path = tmp_path / "s.yaml"
    assert main(["chaos", "--seed", "1", "--output", str(path), "--against", "app"]) == 1

    out, err = capsys.readouterr()
    assert yaml.safe_load(out)["rules"] == runs.rules[-1]
    assert "#   antechamber chaos --schedule schedule.yaml " in out
    assert err.splitlines()[-1] == (
        f"antechamber chaos: --output: cannot write {path}: No space left on device; "
        "stdout has the schedule"
    )


def test_ctrl_c(runs: Runs) -> None:
    """The exit code is that of interrupted programs."""
    runs.error = KeyboardInterrupt()

    assert main(["chaos", "--seed", "1", "--against", "app"]) == 130


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_is_an_exception(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program and the cluster are ended as by any other exception."""
    number = getattr(signal, name, signal.SIGTERM)  # Windows has no SIGHUP

    def run(_: Laboratory, __: Any) -> Trial:
        os.kill(os.getpid(), number)
        raise AssertionError

    monkeypatch.setattr(Laboratory, "run", run)
    with default_hang_up():
        before = signal.getsignal(number)

        assert main(["chaos", "--seed", "1", "--against", "app"]) == 128 + number
        assert signal.getsignal(number) == before


def test_the_output_of_the_program_is_shown(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """On stderr, because stdout has the schedule."""
    assert main(["chaos", "--seed", "1", "-v", "--against", "app"]) == 0

    output = runs.laboratories[0].output
    assert output is not None
    assert output is sys.stderr.buffer
