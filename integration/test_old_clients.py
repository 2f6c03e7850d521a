"""The oldest and the newest release of each client library work as with Kafka.

The oldest releases are installed into environments of their own, which takes a while the first
time: `make clients`, or ANTECHAMBER_REQUIRE=clients.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from antechamber import Cluster
from integration.clients.environments import LIBRARIES, Library, Unavailable, oldest
from integration.kafka.source import start_kafka
from integration.machine.requirements import is_required
from integration.methods.comparison import difference
from integration.methods.known import known
from integration.methods.libraries import entries_of
from integration.methods.running import Run, run

_PROGRAMS = Path(__file__).parent / "clients" / "scripts"
_WITHIN_S = 90
_REFUSED = {"MessageSizeTooLargeError", "MSG_SIZE_TOO_LARGE"}

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(not is_required("clients"), reason="slow: make clients runs it"),
]


@pytest.mark.parametrize("age", ["oldest", "pinned"])
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_clients_of_any_age_produce_and_consume(
    library: Library, age: str, cluster: type[Cluster], topic: str, group: str
) -> None:
    """Records with headers, a known error, a group with its offsets, and offset look-ups."""
    python = Path(sys.executable) if age == "pinned" else _oldest(library)
    kafka = cluster(topics=[topic])
    program = _PROGRAMS / f"use_{library.name.replace('-', '_')}.py"
    command: list[str | Path] = [python, "-W", "ignore", program, kafka.bootstrap, topic, group]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_WITHIN_S)
    assert done.returncode == 0, done.stderr[-3000:]
    reported = json.loads(done.stdout.splitlines()[-1])
    print(library.name, reported["version"])

    assert reported["sent"] == [0, 1, 2]
    assert reported["read"] == [[0, "one", 1], [1, "two", 1], [2, "three", 1]]
    assert reported["refused"] in _REFUSED
    assert (reported["committed"], reported["end"], reported["at_time"]) == (3, 3, 0)


@pytest.mark.kafka
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_methods_of_the_oldest_release_have_kafkas_outcomes(library: Library) -> None:
    """Its methods, in the shapes that it supports, as in `test_client_methods`."""
    program = ["-W", "ignore", "-m", "integration.methods.program", "--older", library.name]
    player = [str(_oldest(library)), *program]
    # Old releases return lists in the order of the response; some have the order of a hash table.
    entries = {
        client: {name: method.in_any_order() for name, method in methods.items()}
        for client, methods in entries_of(library.name).items()
    }
    with Cluster() as ours, closing(start_kafka(heap="512M")) as kafka:
        both = (ours.bootstrap, kafka.bootstrap)
        with ThreadPoolExecutor() as pool:
            here, there = pool.map(lambda bootstrap: run(player, bootstrap, entries), both)

    called = {(key.client, key.method) for key, played in there.played.items() if played.calls_it}
    print(library.name, here.release, f"{len(called)} methods")
    assert called >= {(key.client, key.method) for key in there.played}
    assert not _differences(here, there)


def _differences(here: Run, there: Run) -> list[str]:
    """Return the calls with differences, without those of features that are not served."""
    return [
        f"{key}:\n{difference(here.played[key], theirs)}"
        for key, theirs in there.played.items()
        if known(key.client, key.method, key.shape) is None
        and here.played[key].lines != theirs.lines
    ]


def _oldest(library: Library) -> Path:
    try:
        return oldest(library)
    except Unavailable as reason:
        pytest.skip(f"{library.name} cannot be installed here: {reason}")
