"""The script that runs a package as a process; started by path and isolated, never imported.

It puts the folder of the packages (`broker`, `pipeline`, `recorder`, ...) first on the path: in an
installed wheel the folder of this file, in a checkout the parent of it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import itertools
import os
import signal
import stat
import sys

EXIT_INTERRUPTED = 130
_FAILING = ("strict", "surrogateescape")  # error handlers that raise UnicodeEncodeError
_READY = b'{"bootstrap": "'  # the beginning of a ready file
PACKAGES = ("antechamber", "broker", "pipeline", "protocol", "purgatories", "recorder")


def main() -> int:
    """Run the package named first, with the other arguments; returns the exit code."""
    _remove_old_ready_file(sys.argv[1:])
    _replace_unencodable()
    here = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.isdir(os.path.join(here, "broker"))
    root = here if installed else os.path.dirname(here)
    sys.path.insert(0, here)
    # By path, because `antechamber` imports more than this process needs.
    importlib.import_module("module_finder").install(root, PACKAGES)
    sys.path[0] = root
    given = os.environ.pop("ANTECHAMBER_SEARCH_PATH", "").split(os.pathsep)
    sys.path.extend(folder for folder in given if folder and folder not in sys.path)
    # By name, because `antechamber` must not import the other packages.
    package = sys.argv.pop(1)
    try:
        gc.disable()
        module = importlib.import_module(f"{package}.__main__")
        # No collection visits the objects of the imports, which remain.
        gc.freeze()
        gc.enable()
        _unblock_interrupts()
        return int(module.main())
    except SystemExit as ended:
        return _ended(ended)
    except KeyboardInterrupt:  # Ctrl-C before the package handles it
        return EXIT_INTERRUPTED


def _remove_old_ready_file(words: list[str]) -> None:
    """Remove the ready file of an earlier broker, which a waiting program would read meanwhile.

    The broker itself does it after its imports, and reports errors.
    """
    if words[:1] != ["broker"]:
        return
    option = "--ready-file"
    paths = [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    paths += [path for word, path in itertools.pairwise(words) if word == option]
    for path in paths:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                with open(path, "rb") as file:
                    is_ready_file = file.read(len(_READY)) == _READY
                if is_ready_file:
                    os.unlink(path)


def _unblock_interrupts() -> None:
    """Receive SIGINT, which `antechamber.process.become` blocks; one that has arrived is raised."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _ended(ended: SystemExit) -> int:
    """Flush stdout after argparse ended the process, and return the exit code."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        sys.stdout = None  # otherwise Python tries to flush it again at exit
        sys.stderr.write(f"antechamber: write error: {error.strerror}\n")
        return 1
    return ended.code if isinstance(ended.code, int) else 0


def _replace_unencodable() -> None:
    """Make stdout write a question mark for a character that its encoding does not have."""
    # "surrogateescape" is Python's choice for the locale C.
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in _FAILING:
        sys.stdout.reconfigure(errors="replace")


if __name__ == "__main__":
    sys.exit(main())
