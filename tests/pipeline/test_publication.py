"""Readers see complete tables at every step of every publication, also if it is killed there.

`stream.publish` runs unchanged on a file system in Python; instead of Spark's tables, files with
the number of the micro-batch are written. A reader runs before each change of the file system: it
reads one file of the set that it has chosen, and compares the set when it has all files.
"""

from __future__ import annotations

import glob
import os
import random
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from pipeline import stream
from pipeline.batch import Counts
from pipeline.output.manifest import Manifest, from_json, part_of, to_json
from pipeline.output.store import Run, Store

PUBLICATIONS = 15  # each is killed some 30 times
WINDOW_S = 60
GRACE_PUBLICATIONS = 8
TABLES = ("tables/cells", "tables/waits", "state/reads")

SPARK = MagicMock()  # one for all publications: to make a mock takes a millisecond

Content = dict[tuple[str, str], int]  # the micro-batch that has written a part of a table


class KilledError(BaseException):
    """The process ends here."""


class Reader:
    """Reads one set of tables after the other, a file at a time."""

    def __init__(self, out: Path) -> None:
        self.expected: dict[int, Content] = {-1: {}}  # by the last micro-batch in the tables
        self.sets_read = 0
        self.last_read = -1
        self._out = out
        self._chosen: Manifest | None = None
        self._unread: list[tuple[str, str]] = []
        self._content: Content = {}

    def read_on(self) -> None:
        """Read the next file of the chosen set, or choose the present one."""
        if self._chosen is None:
            self._chosen, self._content = from_json((self._out / "tables.json").read_text()), {}
            files = self._chosen.files.items()
            self._unread = [(table, name) for table, names in files for name in names]
        elif self._unread:
            table, name = self._unread.pop()
            self._content[table, part_of(name)] = int((self._out / name).read_text())
        else:
            number = self._chosen.micro_batch
            assert number is not None
            assert self._content == self.expected[number]
            assert number >= self.last_read
            self.sets_read, self.last_read = self.sets_read + 1, number
            self._chosen = None


class DyingFiles:
    """A file system in which every change is a step, and the process is killed at one of them."""

    def __init__(self, reader: Reader) -> None:
        self.steps_left = 1_000_000
        self._reader = reader

    def step(self) -> None:
        """A change is next."""
        if self.steps_left == 0:
            raise KilledError
        self._reader.read_on()
        self.steps_left -= 1

    def glob(self, pattern: str) -> list[str]:
        """The matching paths, sorted."""
        return sorted(glob.glob(pattern))

    def exists(self, name: str) -> bool:
        """Whether there is such a file or folder."""
        return os.path.exists(name)

    def below(self, folder: str) -> list[str]:
        """The paths of all files."""
        return sorted(str(path) for path in Path(folder).rglob("*") if path.is_file())

    def read(self, name: str) -> str | None:
        """The text of a file; None if there is none."""
        return Path(name).read_text() if self.exists(name) else None

    def write(self, path: Path, text: str) -> None:
        """Write a file in three steps: it is created, it has half of its text, and all of it."""
        for end in (0, len(text) // 2, len(text)):
            self.step()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text[:end])

    def replace(self, name: str, text: str) -> None:
        """Write another file, then rename it."""
        self.write(Path(f"{name}.new"), text)
        self.step()
        os.replace(f"{name}.new", name)

    def delete(self, name: str) -> None:
        """Remove one file or empty folder after the other."""
        for path in sorted(Path(name).rglob("*"), reverse=True):
            self.step()
            path.rmdir() if path.is_dir() else path.unlink()
        if self.exists(name):
            self.step()
            Path(name).rmdir()


class Stream:
    """An output folder to which micro-batches are added."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.reader = Reader(out)
        self.files = DyingFiles(self.reader)
        self._random = random.Random(1)

    def store(self, *_: object) -> Store:
        """The store of the folder; the time is the number of the micro-batch."""
        return Store(SPARK, str(self.out), lambda: float(max(self.reader.expected)))

    def add_batch(self, number: int) -> None:
        """Write the rows of a micro-batch, and remember the tables that it leads to."""
        rows = self.out / "rows" / f"batch={number}"
        rows.mkdir(parents=True)
        (rows / "_SUCCESS").touch()
        parts = [f"date=2025-11-21/hour={hour}" for hour in self._random.sample(range(6), 2)]
        content = dict(self.reader.expected[number - 1])
        content |= {(table, part): number for table in TABLES for part in parts}
        content["tables/top_waits", ""] = number
        self.reader.expected[number] = content

    def add_tables(self, _spark: object, _published: object, run: Run, *_: Any) -> None:
        """Write the parts of the tables that the last micro-batch changes."""
        number = max(self.reader.expected)
        for (table, part), changed in self.reader.expected[number].items():
            if changed == number:
                self.files.write(Path(run.folder(table), part, "0.parquet"), str(number))

    def publish(self, steps: int) -> bool:
        """Publish in a new process; returns False if it was killed after so many *steps*."""
        self.files.steps_left = steps
        try:
            self.store().stream(WINDOW_S)
            stream.publish(SPARK, str(self.out), WINDOW_S, lambda _: None)
        except KilledError:
            return False
        return True


@pytest.fixture
def streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stream:
    """A stream that has begun."""
    out = Stream(tmp_path)
    for module in ("pipeline.output.store", "pipeline.output.micro_batches"):
        monkeypatch.setattr(f"{module}.Files", lambda _: out.files)
    monkeypatch.setattr("pipeline.output.store.GRACE_S", float(GRACE_PUBLICATIONS))
    monkeypatch.setattr(stream, "Store", out.store)
    monkeypatch.setattr(stream, "counted", lambda *_, **__: Counts(1, 0))
    monkeypatch.setattr(stream, "add_tables", out.add_tables)
    (tmp_path / "tables.json").write_text(to_json(Manifest(WINDOW_S, micro_batch=-1)))
    return out


def test_a_reader_sees_complete_tables_at_every_step(streamed: Stream) -> None:
    """Each publication is killed at its first step, at its second, and so on, until it ends."""
    kills = 0
    for number in range(PUBLICATIONS):
        streamed.add_batch(number)
        steps = 0
        while not streamed.publish(steps):
            steps, kills = steps + 1, kills + 1

    assert kills > 20 * PUBLICATIONS
    assert streamed.reader.sets_read > PUBLICATIONS
    assert streamed.reader.last_read >= PUBLICATIONS - 2


def test_replaced_and_unpublished_files_do_not_accumulate(streamed: Stream) -> None:
    """Of each table the present files and those of the last publications are there."""
    for number in range(40):
        streamed.add_batch(number)
        streamed.publish(number)
        assert streamed.publish(1_000)

    assert len([*streamed.out.glob("tables/top_waits/run=*")]) == GRACE_PUBLICATIONS + 2
    assert not [*streamed.out.glob("rows/*")]
