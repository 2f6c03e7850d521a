"""Mistakes in `purgatories`, each with the test file that detects it.

They are in testdata/purgatory_mutants.txt: after a line with the rule and one with two files, the
lines with ``-`` are replaced by those with ``+``. The replaced lines occur once in their file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).parent.parent / "testdata" / "purgatory_mutants.txt"
_FILES = re.compile(r"(\S+) detected by (\S+)")


class Mutant(NamedTuple):
    """In *file*, *old* becomes *new*; the tests in *detected_by* fail. Paths are relative."""

    rule: str
    file: str
    detected_by: str
    old: str
    new: str


def mutants() -> Iterator[Mutant]:
    """Read the file of mutants; raises ValueError if a block is malformed."""
    for block in _FILE.read_text().strip().split("\n\n"):
        rule, files, *lines = block.split("\n")
        if not rule.startswith("# ") or not (named := _FILES.fullmatch(files)):
            raise ValueError(f"not a mutant: {block!r}")
        old = "".join(f"{line[1:]}\n" for line in lines if line.startswith("-"))
        new = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
        file, detected_by = named.groups()
        yield Mutant(rule[2:], file, detected_by, old, new)
