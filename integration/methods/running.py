"""Runs a library's tables on one system, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from integration.methods.comparison import Key, Played, normalized
from integration.methods.libraries import Entries

ROOT = Path(__file__).parents[2]
WITHIN_S = 1200


@dataclass
class Run:
    """The output of one library on one system.

    public: the methods of each client; uncalled: overloads of Java's that were not called.
    """

    release: str
    public: Mapping[str, Sequence[str]]
    played: dict[Key, Played] = field(default_factory=dict)
    took_ms: dict[Key, int] = field(default_factory=dict)
    uncalled: Mapping[str, Sequence[str]] = field(default_factory=dict)


def run(player: Sequence[str], bootstrap: str, entries: Entries, only: str = "") -> Run:
    """Run tables on the broker at an address."""
    return read(_output([*player, bootstrap, only]), bootstrap, entries)


def read(lines: Sequence[Mapping[str, Any]], bootstrap: str, entries: Entries) -> Run:
    """Parse the output of a run."""
    head = lines[0]
    port = int(bootstrap.rpartition(":")[2])
    done = Run(head["release"], head["public"])
    for each in lines[1:]:
        if "uncalled" in each:
            done.uncalled = each["uncalled"]
            continue
        key = Key(each["client"], each["method"], each["shape"])
        method = entries[key.client][key.method]
        lines_of = normalized(
            each["outcome"], port, ignored=method.ignored, unordered=method.unordered
        )
        done.played[key] = Played(lines_of, each["calls_it"])
        done.took_ms[key] = each["took_ms"]
    return done


def _output(command: Sequence[str]) -> list[dict[str, Any]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
