"""Writes a trace as a file of JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from antechamber.trace.chrome import trace
from antechamber.trace.spans import Record


def trace_text(records: Sequence[Record], source: str) -> str:
    """The content of the file: one line."""
    return f"{json.dumps(trace(records, source), separators=(',', ':'))}\n"


def write_trace(path: str | os.PathLike[str], records: Sequence[Record], source: str) -> None:
    """Write the file; raises `OSError`."""
    Path(path).write_text(trace_text(records, source), "utf-8")
