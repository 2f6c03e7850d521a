"""docs/tutorial.md works as written: each command is run, and its output is what the page shows.

A block ``console background`` goes on while the following blocks run; ``text background`` is what
it prints at its end. The wheel is installed instead of the checkout, so that nothing else of the
checkout is used. Free ports replace those of the page, so tests can run at the same time.
"""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from antechamber.container import is_free
from integration.machine.deadlines import eventually

ROOT = Path(__file__).parent.parent
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text()
BLOCK = re.compile(
    r"(?:Save this as `(?P<file>[\w.]+)`:\n\n)?"
    r"^```(?P<language>\w+)(?P<background> background)?\n(?P<body>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
SHOWN_PORTS = ("9092", "9093", "9094", "9644")
NOT_EPHEMERAL = (20_000, 32_000)
STOP_WITHIN_S = 60
COMMAND_WITHIN_S = 300  # pip installs the package and its requirements
# What differs from run to run, and what is compared instead.
VARYING = (
    (re.compile(r"[─\s]+"), " "),
    (re.compile(r"\b\d+(\.\d+)? ?(min|ms|µs|s)\b"), "TIME"),
    (re.compile(r"(#| )\d+(?= of )"), r"\1N"),
    (re.compile(r"\b(once|twice|three times|\w+ times)\b"), "COUNT"),
    # On a busy machine.
    (re.compile(r"Before it was read or completed, a step\b.*? delayed it\. "), ""),
)


def comparable(output: str) -> str:
    """Return *output* without its layout, and with the same words for what varies."""
    for pattern, words in VARYING:
        output = pattern.sub(words, output)
    return output.strip()


def lasting_ports(count: int) -> range:
    """Return *count* consecutive free ports that the system gives to no other program.

    The installation takes a minute, in which other tests take any port that is free.
    """
    while True:
        first = random.randrange(*NOT_EPHEMERAL)
        ports = range(first, first + count)
        if all(map(is_free, ports)):
            return ports


class Tutorial:
    """A reader: runs commands in a folder, some of them in terminals of their own."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder = folder
        self._wheel = wheel
        self.running: list[subprocess.Popen[str]] = []
        # The nodes have consecutive ports.
        self._ports = dict(zip(SHOWN_PORTS, map(str, lasting_ports(len(SHOWN_PORTS))), strict=True))

    def with_free_ports(self, text: str) -> str:
        """Replace the default ports in *text*."""
        return re.sub(r"(?<=127\.0\.0\.1:)\d+", lambda found: self._ports[found[0]], text)

    def command(self, line: str) -> list[str]:
        """Return the command that runs *line* in the environment of the tutorial."""
        if line.startswith("antechamber serve"):
            line += f" --port {self._ports['9092']} --admin-port {self._ports['9644']}"
        line = line.replace(" ./antechamber ", f" {self._wheel} ")
        admin = f"export ANTECHAMBER_ADMIN=http://127.0.0.1:{self._ports['9644']}"
        activate = "test ! -e tutorial/bin/activate || . tutorial/bin/activate"
        # PYTHONPATH names the compiled build where that is tested; pytest may have options.
        begin = f"unset PYTHONPATH PYTEST_ADDOPTS; {admin}; {activate}"
        return ["bash", "-c", f"{begin}; exec {line}" if line[0] != "." else line]

    def run(self, line: str) -> str:
        """Run *line* to its end, check that it succeeds, and return its output."""
        ended = subprocess.run(
            self.command(line),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=COMMAND_WITHIN_S,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    def start(self, line: str, expected: str) -> None:
        """Start *line* and read as many lines of its output as *expected* has."""
        process = subprocess.Popen(
            self.command(line), cwd=self.folder, stdout=subprocess.PIPE, text=True
        )
        self.running.append(process)
        assert process.stdout is not None
        for shown in expected.splitlines():
            assert process.stdout.readline() == self.with_free_ports(f"{shown}\n")

    def finish(self) -> str:
        """Wait for the command that was started last, and return the rest of its output."""
        output, _ = self.running.pop().communicate(timeout=STOP_WITHIN_S)
        return output

    def stop(self) -> None:
        """Send Ctrl-C to all commands that still run; they end in order."""
        for process in self.running:
            process.send_signal(signal.SIGINT)
        for process in self.running:
            process.communicate(timeout=STOP_WITHIN_S)
            assert process.returncode == 0


@pytest.fixture
def tutorial(against: str, tmp_path: Path) -> Iterator[Tutorial]:
    """A reader in an empty folder, who has only the wheel instead of a checkout."""
    if against != "antechamber":
        pytest.skip("tests this project's broker")
    (tmp_path / "folder").mkdir()
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT)
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    reader = Tutorial(tmp_path / "folder", wheel)
    yield reader
    for process in reader.running:
        process.kill()
        process.communicate()


@pytest.mark.timeout(600)
def test_the_tutorial_works(tutorial: Tutorial) -> None:
    """Every file is saved, every command is run, every output is compared."""
    for block in BLOCK.finditer(TUTORIAL):
        body = block["body"]
        if block["language"] == "python":
            assert block["file"], body
            (tutorial.folder / block["file"]).write_text(tutorial.with_free_ports(body))
        elif block["language"] == "console":
            play(tutorial, body, in_background=bool(block["background"]))
        else:
            assert (block["language"], block["background"]) == ("text", " background")
            assert tutorial.finish() == body
    tutorial.stop()


def play(tutorial: Tutorial, body: str, *, in_background: bool) -> None:
    """Run the commands of a block and compare their output."""
    for command in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, shown = command.partition("\n")
        if in_background:
            tutorial.start(line, shown)
        elif line == "antechamber requests --parked":
            expect_parked(tutorial, line, shown)
        else:
            assert comparable(tutorial.run(line)) == comparable(shown)


def expect_parked(tutorial: Tutorial, line: str, shown: str) -> None:
    """Repeat the command until the request waits and node 2 has its record, as after a moment."""
    last = ""

    def is_shown() -> bool:
        nonlocal last
        last = tutorial.run(line)
        return comparable(last) == comparable(shown)

    eventually(is_shown, "the output of the page")
