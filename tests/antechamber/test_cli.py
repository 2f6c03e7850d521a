"""The command line of the package."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from antechamber import cli
from antechamber.versions import own_version
from broker.common.build import running_build


def test_without_a_command_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The help names the commands and has examples."""
    assert cli.main([]) == 0

    assert "antechamber serve --topic orders:3" in capsys.readouterr().out


@pytest.mark.parametrize("argument", ["help", "--help", "-h"])
def test_all_spellings_of_help(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All spellings print the same text."""
    assert cli.main([argument]) == 0
    assert capsys.readouterr().out == cli.HELP


def test_the_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """It is that of its option --help."""
    assert cli.main(["fault", "--help"]) == 0
    expected = capsys.readouterr().out

    assert cli.main(["help", "fault"]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["serv"], "unknown command 'serv'; did you mean serve?"),
        (["nope"], "unknown command 'nope'; antechamber help lists the commands"),
        (["serve", "x"], "help: 'x' is one word too many"),
    ],
)
def test_the_help_of_an_unknown_command(
    words: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is an error, as the command is."""
    assert cli.main(["help", *words]) == 2
    assert capsys.readouterr() == ("", f"antechamber: {error}\n")


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    """The output is one line with the name, the version and the build of the broker."""
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"antechamber {own_version()} ({running_build()})\n"


@pytest.mark.parametrize(
    ("argument", "closest"), [("serv", "serve"), ("sreve", "serve"), ("Record", "record")]
)
def test_a_similar_command_is_suggested(
    argument: str, closest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error for an unknown command names the command that is spelled similarly."""
    assert cli.main([argument]) == 2
    assert capsys.readouterr().err == (
        f"antechamber: unknown command '{argument}'; did you mean {closest}?\n"
    )


@pytest.mark.parametrize(("argument", "what"), [("dance", "command"), ("--verison", "option")])
def test_an_unknown_command(argument: str, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 2, and the error names the command and how to list all commands."""
    assert cli.main([argument]) == 2
    assert capsys.readouterr().err == (
        f"antechamber: unknown {what} '{argument}'; antechamber help lists the commands\n"
    )


@pytest.mark.parametrize(
    ("argument", "package"),
    [
        ("serve", "broker"),
        ("record", "recorder"),
        ("what-if", "broker.what_if"),
        ("analyze", "pipeline"),
    ],
)
def test_a_command_replaces_the_process(
    argument: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process runs another package, so that pid and exit code belong to it."""
    executed: list[tuple[str, list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "execve", lambda *call: executed.append(call))
    # This process goes on, and the processes that later tests start inherit its signal mask.
    monkeypatch.setattr(signal, "pthread_sigmask", lambda *_: None, raising=False)

    cli.main([argument, "--port", "0"])

    [(program, words, _)] = executed
    assert program == sys.executable
    assert words[:2] == [sys.executable, "-I"]
    assert words[-3:] == [package, "--port", "0"]


def test_the_command_line_imports_little() -> None:
    """Neither trio nor argparse nor another package is imported: the start is fast."""
    script = "import sys, antechamber.cli; print(*sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not {"trio", "argparse", "broker", "protocol", "importlib.metadata"} & set(printed)
