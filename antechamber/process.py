"""The command and the environment of the process of a package, and how this process becomes it.

The process runs isolated (``python -I``), so that no ``broker`` in the working directory, in
``PYTHONPATH`` or in the user's site-packages shadows ours. Our dependencies may be in one of these
places: the search path of this interpreter is passed on, and `antechamber.launch` appends it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

SEARCH_PATH_VARIABLE = "ANTECHAMBER_SEARCH_PATH"
_LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")


def command(arguments: Sequence[str], package: str = "broker") -> list[str]:
    """Return the command that runs a package, by default the broker, with *arguments*."""
    return [sys.executable, "-I", _LAUNCH, package, *arguments]


def environment(present: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of that command, from the *present* one."""
    here = os.getcwd()
    folders = [folder for folder in sys.path if folder and os.path.abspath(folder) != here]
    return {**present, SEARCH_PATH_VARIABLE: os.pathsep.join(folders)}


if sys.platform == "win32":

    def become(words: list[str], environment: Mapping[str, str]) -> int:
        """Run a command in the place of this process; returns its exit code."""
        import subprocess  # slow to import

        with subprocess.Popen(words, env=environment) as child:  # noqa: S603 - our own interpreter
            while True:
                try:
                    return child.wait()
                except KeyboardInterrupt:  # the child gets it too, and ends in order
                    continue

else:

    def become(words: list[str], environment: Mapping[str, str]) -> int:
        """Replace this process by a command; `antechamber.launch` unblocks SIGINT.

        Python would print a traceback for a SIGINT that arrives while it starts.
        """
        import signal  # slow to import

        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.execve(words[0], words, environment)  # noqa: S606 - our own interpreter, no shell
