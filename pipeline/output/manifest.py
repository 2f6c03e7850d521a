"""The manifest of an output folder: the files or versions of the tables that belong together.

`OUT/tables.json` names every file of every table, relative to `OUT`, or the version of every Delta
table. It is replaced in one step, and what it names is never changed, so that a reader always has
one complete set. Folders
that a newer set does not have are named in ``replaced`` with the time of the replacement, and
removed later, when readers have finished.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

SCHEMA = 1
NAME = "tables.json"
TABLES, STATE = "tables", "state"  # what readers use, and what only a stream uses
PARQUET, DELTA = "parquet", "delta"  # the formats of tables; a stream's state is always Parquet

# By the folder of a table, such as `tables/latency` or `state/appends`.
FileNames = Mapping[str, tuple[str, ...]]


class Replaced(NamedTuple):
    """Folders that the manifest has not named since a time, in seconds since the epoch."""

    at_s: float
    folders: tuple[str, ...]


@dataclass(frozen=True)
class Manifest:
    """One complete set of tables.

    ``micro_batch`` is the last micro-batch of a stream in it, -1 before the first one, and None in
    the tables of a single run. ``versions`` are those of Delta tables, by their folders.
    """

    window_s: int
    micro_batch: int | None = None
    files: FileNames = field(default_factory=dict)
    replaced: tuple[Replaced, ...] = ()
    table_format: str = PARQUET
    versions: Mapping[str, int] = field(default_factory=dict)

    def named(self, folder: str, parts: Iterable[str]) -> list[str]:
        """The files of some parts of a table, such as ``date=2025-11-21/hour=9``."""
        wanted = set(parts)
        return [name for name in self.files.get(folder, ()) if part_of(name) in wanted]

    def folders(self) -> set[str]:
        """The folders of all files, also of replaced ones that are still there."""
        current = {folder_of(name) for names in self.files.values() for name in names}
        return current.union(*(each.folders for each in self.replaced))

    def expired(self, before_s: float) -> list[str]:
        """The folders that were replaced before a time."""
        return [name for each in self.replaced if each.at_s < before_s for name in each.folders]

    def without_expired(self, before_s: float) -> tuple[Replaced, ...]:
        """The replaced folders that remain if the expired ones are removed."""
        return tuple(each for each in self.replaced if each.at_s >= before_s)


def updated(old: FileNames, new: FileNames, added_to: Iterable[str]) -> FileNames:
    """The files after *new* ones replace the parts of tables that they are of.

    The new files of the tables in *added_to* are added to the existing ones instead.
    """
    files = dict(old)
    for folder, names in new.items():
        rewritten = set() if folder in added_to else {part_of(name) for name in names}
        kept = [name for name in old.get(folder, ()) if part_of(name) not in rewritten]
        files[folder] = (*kept, *names)
    return files


def folder_of(name: str) -> str:
    """The folder of a file: ``tables/latency/run=1f/date=2025-11-21/hour=9``."""
    return name.rpartition("/")[0]


def part_of(name: str) -> str:
    """The part of its table that a file is of: ``date=2025-11-21/hour=9``."""
    _, _, in_run = name.partition("/run=")
    return folder_of(in_run).partition("/")[2]


def to_json(manifest: Manifest) -> str:
    """The text of a manifest."""
    parts: dict[str, dict[str, list[str]]] = {TABLES: {}, STATE: {}}
    for folder, names in sorted(manifest.files.items()):
        kind, _, name = folder.partition("/")
        parts[kind][name] = list(names)
    facts = {
        "schema": SCHEMA,
        "window_s": manifest.window_s,
        "micro_batch": manifest.micro_batch,
        "format": manifest.table_format,
        **parts,
        "versions": {
            name.removeprefix(f"{TABLES}/"): version
            for name, version in sorted(manifest.versions.items())
        },
        "replaced": [each._asdict() for each in manifest.replaced],
    }
    return json.dumps(facts, indent=1)


def from_json(text: str) -> Manifest:
    """The manifest of a text."""
    facts = json.loads(text)
    files = {
        f"{kind}/{name}": tuple(names)
        for kind in (TABLES, STATE)
        for name, names in facts[kind].items()
    }
    replaced = tuple(Replaced(each["at_s"], tuple(each["folders"])) for each in facts["replaced"])
    return Manifest(
        facts["window_s"],
        facts["micro_batch"],
        files,
        replaced,
        facts.get("format", PARQUET),  # older versions have written no format
        {f"{TABLES}/{name}": version for name, version in facts.get("versions", {}).items()},
    )
