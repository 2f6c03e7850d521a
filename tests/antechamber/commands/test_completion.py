"""The completions that are printed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from antechamber import cli
from antechamber.commands.completion import FILES, FOLDER

SHELLS = {"bash": ["bash", "-n"], "fish": ["fish", "--no-execute"], "zsh": ["zsh", "-n"]}


@pytest.mark.parametrize("shell", FILES)
def test_the_file_of_a_shell_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It has all commands."""
    assert cli.main(["completion", shell]) == 0

    printed = capsys.readouterr().out
    assert printed == (FOLDER / FILES[shell]).read_text()
    assert all(command in printed for command in cli.COMMANDS)


def test_an_unknown_shell(capsys: pytest.CaptureFixture[str]) -> None:
    """The error is one line that names the shells."""
    assert cli.main(["completion", "tcsh"]) == 2

    error = capsys.readouterr().err
    assert error.startswith("antechamber completion: shell: 'tcsh' is not one of bash, fish, zsh")
    assert error.count("\n") == 1


@pytest.mark.parametrize("shell", FILES)
def test_the_syntax_is_that_of_the_shell(shell: str) -> None:
    """The shell reads the file without an error."""
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    subprocess.run([*SHELLS[shell], FOLDER / FILES[shell]], check=True)


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("antechamber rec", ["record"]),
        ("antechamber requests --par", ["--parked"]),
        ("antechamber fault pa", ["pause"]),
        ("antechamber serve --admin-protocol htt", ["http", "https"]),
        ("antechamber serve --topic a", []),
        ("antechamber completion f", ["fish"]),
        ("antechamber help whe", ["wheel"]),
    ],
)
def test_bash_completes(line: str, completed: list[str]) -> None:
    """A command, an option, an argument, a value from a list, and no value that is unknown."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    words = line.split()
    script = f"""
    source {FOLDER / "antechamber.bash"}
    COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}
    _antechamber
    printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    printed = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)

    assert printed.stdout.split() == completed
    assert printed.stderr == ""
