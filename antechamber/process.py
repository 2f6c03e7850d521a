"""How a room's process is started: the command, and what the process must be told.

The process runs isolated (``python -I``), so that neither the working directory nor ``PYTHONPATH``
nor the user's site-packages can put a ``broker`` of the user's own before ours. Where our libraries
live only in one of those places they must be found all the same: the folders this interpreter looks
into are handed over, and `antechamber.launch` looks there last.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

SEARCH_PATH_VARIABLE = "ANTECHAMBER_SEARCH_PATH"
_LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")


def command(arguments: Sequence[str], room: str = "broker") -> list[str]:
    """The command that runs *room* with *arguments*."""
    return [sys.executable, "-I", _LAUNCH, room, *arguments]


def environment(present: Mapping[str, str]) -> dict[str, str]:
    """The environment for that command, made from the *present* one."""
    here = os.getcwd()
    folders = [folder for folder in sys.path if folder and os.path.abspath(folder) != here]
    return {**present, SEARCH_PATH_VARIABLE: os.pathsep.join(folders)}
