"""``antechamber completion``: prints the completions of a shell.

The files are made from the parsers of all commands by ``make docs``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from antechamber.commands.local_parser import LocalParser

FOLDER = Path(__file__).parent.parent / "completions"
FILES = {"bash": "antechamber.bash", "zsh": "_antechamber", "fish": "antechamber.fish"}

_DESCRIPTION = "Print the completions of a shell: all commands and their options."
_EPILOG = """\
try:
  source <(antechamber completion bash)            in bash
  source <(antechamber completion zsh)             in zsh, after compinit
  antechamber completion fish | source             in fish
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the command's arguments."""
    command = LocalParser("completion", _DESCRIPTION, _EPILOG)
    command.add_argument("shell", choices=sorted(FILES), help="the shell")
    return command


def completion(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    shell = parser().parse_args(arguments).shell
    sys.stdout.write((FOLDER / FILES[shell]).read_text(encoding="utf-8"))
    return 0
