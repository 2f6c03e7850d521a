"""Client libraries for Node.js, from npm's packages."""

from __future__ import annotations

import shutil
import subprocess
from functools import partial
from pathlib import Path

from integration.programs.program import Place, Program, cached, fetch

_SCRIPTS = Path(__file__).parent / "node"
_WITHIN_SECONDS = 120
_KAFKAJS_VERSION = "2.2.4"
_PLATFORMATIC_VERSION = "1.35.0"
_NUMBERS = range(20)


def _sums(place: Place, script: str, package: str) -> None:
    """A script prints the sum of the numbers that it consumed, and the sum of its offsets."""
    printed = _printed(place, f"{script}.mjs", _with_package(package))
    assert printed.split() == [str(sum(_NUMBERS)), str(len(_NUMBERS))]


def _with_package(package: str) -> Path:
    """Return a folder `node_modules` with the package; raises `Unavailable`."""

    def make(folder: Path) -> None:
        fetch(["npm", "install", "--silent", "--no-audit", "--prefix", folder, package], folder)

    return cached(package.replace("/", "-"), make) / "node_modules"


def _printed(place: Place, script: str, packages: Path) -> str:
    # Modules are looked up from the folder of the script.
    shutil.copy(_SCRIPTS / script, place.folder)
    (place.folder / "node_modules").symlink_to(packages)
    done = subprocess.run(
        ["node", place.folder / script, place.bootstrap],
        check=False,
        capture_output=True,
        text=True,
        timeout=_WITHIN_SECONDS,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


PROGRAMS = (
    Program(
        "KafkaJS",
        _KAFKAJS_VERSION,
        "records are copied in transactions with their offsets",
        partial(_sums, script="kafkajs_copies", package=f"kafkajs@{_KAFKAJS_VERSION}"),
    ),
    Program(
        "@platformatic/kafka",
        _PLATFORMATIC_VERSION,
        "a group of KIP-848's protocol reads records and commits its offsets",
        partial(
            _sums,
            script="platformatic_reads",
            package=f"@platformatic/kafka@{_PLATFORMATIC_VERSION}",
        ),
    ),
)
