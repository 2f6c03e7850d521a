"""Plays a library's nets to one system, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from integration.methods.comparison import Key, Played, normalized
from integration.methods.net import Net

ROOT = Path(__file__).parents[2]
WITHIN_S = 240


@dataclass
class Run:
    """What one library printed about one system."""

    release: str
    public: Mapping[str, Sequence[str]]
    played: dict[Key, Played] = field(default_factory=dict)
    took_ms: dict[Key, int] = field(default_factory=dict)


def run(library: str, bootstrap: str, nets: Sequence[Net], only: str = "") -> Run:
    """Play a library's nets, with the library of this environment."""
    command = [sys.executable, "-W", "ignore", "-m", "integration.methods.program"]
    lines = _output([*command, library, bootstrap, "--only", only])
    return read(lines, bootstrap, nets)


def read(lines: Sequence[Mapping[str, Any]], bootstrap: str, nets: Sequence[Net]) -> Run:
    """Read what a run printed."""
    head, *outcomes = lines
    port = int(bootstrap.rpartition(":")[2])
    methods = {net.name: net.methods for net in nets}
    done = Run(head["release"], head["public"])
    for each in outcomes:
        key = Key(each["client"], each["method"], each["shape"])
        method = methods[key.client][key.method]
        lines_of = normalized(
            each["outcome"], port, ignored=method.ignored, unordered=method.unordered
        )
        done.played[key] = Played(lines_of, each["calls_it"])
        done.took_ms[key] = each["took_ms"]
    return done


def _output(command: Sequence[str | Path]) -> list[dict[str, Any]]:
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
