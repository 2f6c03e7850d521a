"""kcat, the command line of librdkafka."""

from __future__ import annotations

import shutil
import subprocess

from integration.machine.deadlines import ENDS_WITHIN_S
from integration.programs.program import Place, Program, Unavailable


def _kcat(place: Place) -> None:
    if shutil.which("kcat") is None:
        raise Unavailable("no kcat on the PATH")
    subprocess.run(
        ["kcat", "-P", "-b", place.bootstrap, "-t", "kcat", "-K:"],
        input="k:one\nk:two\n",
        text=True,
        check=True,
        timeout=ENDS_WITHIN_S,
    )
    read = ("-C", "-t", "kcat", "-e", "-q", "-f", "%o %k %s\n")
    assert _printed(place, *read).splitlines() == ["0 k one", "1 k two"]
    assert 'topic "kcat" with 1 partitions' in _printed(place, "-L")


def _printed(place: Place, *arguments: str) -> str:
    command = ["kcat", "-b", place.bootstrap, *arguments]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=ENDS_WITHIN_S
    )
    return done.stdout


PROGRAMS = (Program("kcat", "1.7", "produces, consumes and lists", _kcat),)
