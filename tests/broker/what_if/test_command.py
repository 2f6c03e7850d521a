"""The command ``antechamber what-if``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from broker.what_if.__main__ import main
from tests.broker.what_if.recorded import fetch, file_of

# An exception in the callback of a weak reference is printed and dropped.
_INTERRUPTED_IMPORT = """
import signal, sys, weakref
from broker.what_if.__main__ import main

class Thing: pass

class Interrupting:
    def find_spec(self, name, *_):
        if name == "broker.what_if.replay":
            thing = Thing()
            reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
            del thing

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
sys.meta_path.insert(0, Interrupting())
sys.exit(main(sys.argv[1:]))
"""


def test_a_recording_is_predicted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the settings of the command line."""
    path = file_of(tmp_path, *(json.dumps(fetch(510 * at, 500, 0)) for at in range(3)))
    words = "--min-bytes 1 --max-wait-ms 50 --linger-ms 5 --replication-factor 2 --json"

    assert main([str(path), *words.split(), "--follower-delay-ms", "3"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["settings"] == {
        "min_bytes": 1,
        "max_wait_ms": 50,
        "linger_ms": 5,
        "replication_factor": 2,
        "follower_delay_ms": 3,
    }
    assert facts["apis"]["Fetch"]["changed"]["p50"] == pytest.approx(51, abs=1.5)


def test_a_cut_line_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr; the prediction is made from the other lines."""
    path = file_of(tmp_path, json.dumps(fetch(0, 500, 0)))
    path.write_text(path.read_text() + '{"api": "Fe')

    assert main([str(path)]) == 0

    out, err = capsys.readouterr()
    assert err == f"antechamber what-if: {path}:2 is cut off and left out\n"
    assert out.startswith("nothing is changed\n")


def test_a_table_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unless JSON is requested."""
    path = file_of(tmp_path, json.dumps(fetch(0, 500, 0)))

    assert main([str(path)]) == 0
    assert capsys.readouterr().out.startswith("nothing is changed\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", "the following arguments are required: RECORDS"),
        ("missing", "RECORDS: cannot read missing: No such file or directory"),
        ("x --max-wait-ms 1s", "--max-wait-ms: '1s' is not a whole number from 0 to 2147483647"),
        ("x --replication-factor 0", "--replication-factor: '0' is not a whole number from 1"),
    ],
)
def test_invalid_input_is_2_and_one_line(
    words: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the option and the allowed values."""
    assert main(words.split()) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"antechamber what-if: {line}")
    assert error.count("\n") == 1


def test_ctrl_c_during_the_import_ends_the_command(tmp_path: Path) -> None:
    """The exit code is 130, and nothing is printed."""
    path = file_of(tmp_path, json.dumps(fetch(0, 500, 0)))
    words = [sys.executable, "-c", _INTERRUPTED_IMPORT, str(path)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
