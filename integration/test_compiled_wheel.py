"""The wheel with compiled modules behaves as the one without."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.machine.requirements import need
from integration.processes.server_process import ServerProcess
from integration.wire.batches import batch, sealed
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce, read_fetch, read_produce

# Beside other tests the compilation of a wheel takes several minutes on two processors.
pytestmark = pytest.mark.timeout(900)

ROOT = Path(__file__).parent.parent
INVALID_RECORD = 87

# Prints the summary of each block, and the file of the imported module.
WALK = """
import dataclasses, json, sys
sys.path[:0] = [sys.argv[1]]
from protocol.record_batch import scan as record_scan
results = []
for block, count in json.load(sys.stdin):
    try:
        summary = record_scan.summarise(bytes.fromhex(block), count)
        results.append(dataclasses.astuple(summary))
    except record_scan.InvalidRecord as error:
        results.append(str(error))
json.dump([record_scan.__file__, results], sys.stdout)
"""

# Runs the broker. A first SIGUSR1 begins, and a second ends, the counting of the functions that the
# interpreter runs, by their file; the numbers are then written to a file.
RECORDING = """
import collections, json, pathlib, signal, sys
sys.path[:0] = [sys.argv[1]]
out, sys.argv[1:] = pathlib.Path(sys.argv[2]), sys.argv[3:]
counts = collections.Counter()
def record(frame, event, argument):
    if event == "call":
        counts[frame.f_code.co_filename] += 1
def toggle(*_):
    if sys.getprofile() is None:
        sys.setprofile(record)
    else:
        sys.setprofile(None)
        part = out.with_name("part")
        part.write_text(json.dumps(counts))
        part.rename(out)
signal.signal(signal.SIGUSR1, toggle)
from broker.__main__ import main
sys.exit(main())
"""
# Where every response runs a function in the interpreter.
OUTPUT = "protocol/output.py"
# Where a produce, or a fetch that waits for it, runs one.
INTERPRETED = {"broker/replication/waits.py", OUTPUT}
# The names of functions of `protocol.source`.
GENERATED = ("<read ", "<write ", "<__init__ ")
WARM_UP, REQUESTS = 3, 200


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    need("compiler", None if compiler else "no C compiler")
    out = tmp_path_factory.mktemp("compiled")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    options = {"HATCH_BUILD_HOOKS_ENABLE": "1", "ANTECHAMBER_OPTIMIZATION": "none"}
    done = subprocess.run(
        [*command, "--outdir", out, ROOT],
        env={**os.environ, **options},
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = out.glob("*.whl")
    assert not wheel.name.endswith("-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(out / "unpacked")
    return out / "unpacked"


@pytest.fixture
def bootstrap(unpacked: Path, tmp_path: Path) -> Iterator[str]:
    """A broker that runs from it."""
    ready = tmp_path / "ready.json"
    start = ["env", f"PYTHONPATH={unpacked}", sys.executable, "-P", "-m", "antechamber", "serve"]
    options = ["--port", "0", "--admin-port", "0", "--topic", "t", "--ready-file"]
    process = ServerProcess([*start, *options, ready], tmp_path / "output")

    def is_ready() -> bool:
        assert process.exit_code is None, process.stderr()
        return ready.exists()

    try:
        eventually(is_ready, "the ready file")
        yield json.loads(ready.read_text())["bootstrap"]
    finally:
        process.stop()


def test_valid_batches_are_appended_and_invalid_ones_rejected(bootstrap: str) -> None:
    """Records of all sizes are appended; a record with a false length is rejected."""
    good = batch([bytes(size) for size in range(300)])
    bad = batch([b"value", b"value"]).replace(b"\x0avalue", b"\x08value")  # a shorter one
    with Connection(bootstrap) as connection:
        taken = read_produce(connection.request(produce("t", 0, good)))
        refused = read_produce(connection.request(produce("t", 0, sealed(bad))))

    assert (taken.error, taken.base_offset) == (0, 0)
    assert refused.error == INVALID_RECORD


def test_the_compiled_scan_gives_equal_results(unpacked: Path) -> None:
    """Blocks of all shapes, most of them corrupted."""
    random = Random(1)
    blocks = [_block(random) for _ in range(2000)]

    compiled_from, compiled = _walk(unpacked / "antechamber", blocks)
    python_from, python = _walk(ROOT, blocks)

    assert not compiled_from.endswith(".py")
    assert python_from.endswith(".py")
    assert compiled == python
    assert any(isinstance(reported, str) for reported in python)
    assert any(isinstance(reported, list) for reported in python)


def test_what_a_request_runs_is_compiled(unpacked: Path, tmp_path: Path) -> None:
    """But for a few functions; also the readers, writers and initializers of its messages."""
    folder, counts, ready = unpacked / "antechamber", tmp_path / "counts", tmp_path / "ready.json"
    start: list[str | Path] = [sys.executable, "-I", "-c", RECORDING, folder, counts]
    options: list[str | Path] = ["--port", "0", "--admin-port", "0", "--topic", "t"]
    options += ["--ready-file", ready]
    process = ServerProcess([*start, *options], tmp_path / "output")
    try:
        eventually(ready.exists, "the ready file")
        address = json.loads(ready.read_text())["bootstrap"]
        with Connection(address) as producer, Connection(address) as consumer:
            for number in range(WARM_UP + REQUESTS):
                if number == WARM_UP:
                    os.kill(process.pid, signal.SIGUSR1)
                consumer.send(fetch("t", 0, number, max_wait_ms=30_000))
                assert read_produce(producer.request(produce("t", 0, batch([b"v"])))).error == 0
                assert read_fetch(consumer.receive()).records
        os.kill(process.pid, signal.SIGUSR1)
        eventually(counts.exists, "the counts")
    finally:
        process.stop()

    # Others are called by timers.
    often = [name for name, n in json.loads(counts.read_text()).items() if n >= REQUESTS / 2]
    files = [Path(name) for name in often]
    ours = {each.relative_to(folder).as_posix() for each in files if each.is_relative_to(folder)}
    assert OUTPUT in ours
    assert ours <= INTERPRETED
    assert not [name for name in often if name.startswith(GENERATED)]


def _block(random: Random) -> tuple[bytes, int]:
    """Return the records of a batch, some of one size, and perhaps with a changed byte."""
    alike = random.randrange(100)
    count = random.choice((1, 2, 20, 200))
    sizes = [alike if random.random() < 0.9 else random.randrange(300) for _ in range(count)]
    block = bytearray(batch([random.randbytes(size) for size in sizes])[61:])
    if random.random() < 0.7:
        block[random.randrange(len(block))] = random.randrange(256)
    return bytes(block), count


def _walk(folder: Path, blocks: list[tuple[bytes, int]]) -> tuple[str, list[object]]:
    given = json.dumps([(block.hex(), count) for block, count in blocks])
    command = [sys.executable, "-I", "-c", WALK, str(folder)]
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=True
    )
    came_from, reported = json.loads(done.stdout)
    return came_from, reported
