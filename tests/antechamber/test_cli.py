"""The front door's command line."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import pytest

from antechamber import cli


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    """It names the commands and shows one to try."""
    assert cli.main([]) == 0

    assert "antechamber serve --topic orders:3" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["help", "--help", "-h"])
def test_help_is_asked_for_in_any_way(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All three spellings print the same."""
    assert cli.main([word]) == 0
    assert capsys.readouterr().out == cli.HELP


@pytest.mark.parametrize("words", ["help", "requests --help", "explain --help", "fault --help"])
def test_help_fits_a_terminal(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    with suppress(SystemExit):
        cli.main(words.split())

    assert max(map(len, capsys.readouterr().out.splitlines())) < 80


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """One line: the name and the version."""
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("antechamber ")


@pytest.mark.parametrize(
    ("word", "meant"), [("serv", "serve"), ("sreve", "serve"), ("Record", "record")]
)
def test_a_command_that_is_nearly_one_is_suggested(
    word: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the same one line."""
    assert cli.main([word]) == 2
    assert capsys.readouterr().err == (
        f"antechamber: unknown command '{word}'; did you mean {meant}?\n"
    )


@pytest.mark.parametrize(("word", "what"), [("dance", "command"), ("--verison", "option")])
def test_an_unknown_command_is_2_and_one_line(
    word: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named, and the way to the list is shown."""
    assert cli.main([word]) == 2
    assert capsys.readouterr().err == (
        f"antechamber: unknown {what} '{word}'; antechamber help lists what there is\n"
    )


@pytest.mark.parametrize(
    ("word", "room"), [("serve", "broker"), ("record", "recorder"), ("analyze", "pipeline")]
)
def test_a_command_becomes_its_room(word: str, room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is replaced, so the pid and the exit code are the room's."""
    executed: list[tuple[str, list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "execve", lambda *call: executed.append(call))

    cli.main([word, "--port", "0"])

    [(program, words, _)] = executed
    assert program == sys.executable
    assert words[:2] == [sys.executable, "-I"]
    assert words[-3:] == [room, "--port", "0"]


def test_little_is_imported() -> None:
    """Neither trio nor argparse nor any room: the front door answers at once."""
    script = "import sys, antechamber.cli; print(*sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not {"trio", "argparse", "broker", "protocol", "importlib.metadata"} & set(printed)
