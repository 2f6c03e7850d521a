"""``antechamber doctor`` and its checks, on machines that lack something."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antechamber import cli
from antechamber.broker_process import StartError
from antechamber.commands import doctor_checks
from antechamber.commands.doctor import report
from antechamber.commands.doctor_checks import (
    Finding,
    analysis,
    broker,
    clients,
    engine,
    extras,
    port,
    python,
)

Script = Callable[[str], None]


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Script:
    """Install a program `docker` that is a shell script."""

    def install(script: str) -> None:
        program = tmp_path / "docker"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path))
    return install


def test_each_finding_is_a_line() -> None:
    """What is missing for some commands only is no failure."""
    lines: list[str] = []

    code = report(iter([Finding("ok", "Java 17"), Finding("missing", "Spark")]), lines.append)

    assert (code, lines) == (0, ["ok       Java 17\n", "missing  Spark\n"])


def test_a_broker_that_does_not_start_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding has the broker's own message."""

    def refuse() -> None:
        raise StartError("no space left on device")

    monkeypatch.setattr(doctor_checks, "Cluster", refuse)
    finding = broker()

    assert finding == ("failed", "a broker does not start: no space left on device")
    assert report(iter([finding]), len) == 1


def test_the_versions_are_reported() -> None:
    """Of the package, Python and the system."""
    assert python().text.startswith("antechamber ")
    assert ", Python 3." in python().text


def test_a_port_in_use_is_reported() -> None:
    """With the remedy."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        finding = port("serve", number)
    assert finding.state == "missing"
    assert finding.text == f"port {number} of serve: Address already in use; 0 chooses a free one"
    assert port("serve", number) == ("ok", f"port {number} of serve is free")


def test_missing_packages_have_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the clients one suffices."""
    monkeypatch.setattr(doctor_checks, "_version", lambda _: None)

    assert list(clients()) == [
        ("missing", "no client library for Python: pip install kafka-python")
    ]
    security, _ = extras()
    assert security.text.endswith("not installed; pip install 'antechamber[security]'")


def test_without_docker(docker: Script) -> None:
    """Only images need an engine."""
    assert engine().text == "container engine: docker is not installed; only images need it"


@pytest.mark.parametrize(
    ("script", "finding"),
    [
        ("echo 28.1", ("ok", "container engine 28.1")),
        ("echo no daemon >&2; exit 1", ("missing", "container engine: no daemon")),
    ],
)
def test_the_engine_of_docker(script: str, finding: tuple[str, str], docker: Script) -> None:
    """Its version, or the last line of the error."""
    docker(script)

    assert engine() == finding


def test_an_engine_that_does_not_respond(docker: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check ends after a time limit."""

    def never(*_: Any, **__: Any) -> None:
        raise subprocess.TimeoutExpired("docker", 10)

    docker("")
    monkeypatch.setattr(subprocess, "run", never)

    assert engine() == ("missing", "container engine: no response within 10 s")


def test_the_analysis_reports_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process prints the same states."""
    lines = "ok       analyze: Java 21\nmissing  analyze: pyspark not installed\n"
    done = subprocess.CompletedProcess([], 1, stdout=lines)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)

    assert list(analysis()) == [
        ("ok", "analyze: Java 21"),
        ("missing", "analyze: pyspark not installed"),
    ]


def test_an_analysis_that_does_not_respond(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of Java ends after a time limit."""

    def never(*_: Any, **__: Any) -> None:
        raise subprocess.TimeoutExpired("python", 60)

    monkeypatch.setattr(subprocess, "run", never)

    assert list(analysis()) == [("missing", "analyze: Java: no response within 60 s")]


def test_an_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    """The error is one line."""
    assert cli.main(["doctor", "--all"]) == 2
    assert capsys.readouterr().err == (
        "antechamber doctor: unrecognized arguments: --all; "
        "antechamber doctor --help lists the options\n"
    )
