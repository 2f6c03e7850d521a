"""The oldest and the newest of each client library do the same with our broker.

The oldest ones are installed into environments of their own, which takes a while the first time:
`make clients`, or ANTECHAMBER_REQUIRE=clients.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from antechamber import Cluster
from integration.client_environments import LIBRARIES, Library, Unavailable, oldest
from integration.requirements import is_required

_PROGRAMS = Path(__file__).parent / "clients"
_WITHIN_S = 90
_REFUSED = {"MessageSizeTooLargeError", "MSG_SIZE_TOO_LARGE"}

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(not is_required("clients"), reason="slow: make clients asks for it"),
]


@pytest.mark.parametrize("age", ["oldest", "pinned"])
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_clients_of_any_age_produce_and_consume(
    library: Library, age: str, cluster: type[Cluster], topic: str, group: str
) -> None:
    """Records with headers, an error as they know it, a group with its offsets, and look-ups."""
    if age == "pinned":
        python = Path(sys.executable)
    else:
        try:
            python = oldest(library)
        except Unavailable as reason:
            pytest.skip(f"{library.name} cannot be installed here: {reason}")
    kafka = cluster(topics=[topic])
    program = _PROGRAMS / f"use_{library.name.replace('-', '_')}.py"
    command: list[str | Path] = [python, "-W", "ignore", program, kafka.bootstrap, topic, group]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_WITHIN_S)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    print(library.name, told["version"])

    assert told["sent"] == [0, 1, 2]
    assert told["read"] == [[0, "one", 1], [1, "two", 1], [2, "three", 1]]
    assert told["refused"] in _REFUSED
    assert (told["committed"], told["end"], told["at_time"]) == (3, 3, 0)
