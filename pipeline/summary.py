"""Terminal output: progress while Spark works, and a summary table at the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from pipeline.printable import printable
from pipeline.report.findings import APIS_SHOWN, Findings

_LOOK_EVERY_S = 0.25


class Display:
    """Progress on stderr; without a terminal, one line for each step."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(24),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
        )
        self._task: TaskID | None = None

    def step(self, what: str) -> None:
        """Start the next step."""
        what = printable(what)
        if not self.console.is_terminal:
            self.console.print(what, soft_wrap=True, markup=False)
            return
        self._finish()
        self._task = self._progress.add_task(escape(what), total=None)

    @contextmanager
    def watching(self, spark: SparkSession) -> Iterator[None]:
        """Show the progress of Spark's jobs until the block ends."""
        if not self.console.is_terminal:
            yield
            return
        ended = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(spark, ended), daemon=True)
        with self._progress:
            watcher.start()
            try:
                yield
                self._finish()
            finally:
                ended.set()
                watcher.join()

    def _finish(self) -> None:
        if self._task is not None:
            done = self._progress.tasks[-1].description
            self._progress.remove_task(self._task)
            self._task = None
            self.console.print(f"  {done}")

    def _watch(self, spark: SparkSession, ended: threading.Event) -> None:
        tracker = spark.sparkContext.statusTracker()
        while not ended.wait(_LOOK_EVERY_S):
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            total = sum(stage.numTasks for stage in stages if stage)
            done = sum(stage.numCompletedTasks for stage in stages if stage)
            if self._task is not None:
                self._progress.update(self._task, total=total or None, completed=done)


def show(console: Console, one: Findings) -> None:
    """Print the summary of one set of records."""
    share = one.parked / max(one.requests, 1)
    title = f"{one.name}: {one.requests:,} requests, {share:.1%} parked; times in ms"
    table = Table(
        title=escape(title),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,  # so that ten columns fit 80 characters
    )
    table.add_column("API", no_wrap=True)
    for head in ("requests", "parked", "timeouts", "p50", "p90", "p99", "p99.9", "max"):
        table.add_column(head, justify="right", no_wrap=True)
    for api in one.apis[:APIS_SHOWN]:
        times = map(_ms, api.total.values())
        parked = f"{api.parked / api.count:.1%}"
        table.add_row(api.name, f"{api.count:,}", parked, f"{api.timeouts:,}", *times)
    console.print(table)
    if one.malformed:
        console.print(f"{one.malformed:,} malformed rows are in the table `malformed`")


def _ms(us: float) -> str:
    return f"{us / 1000:,.0f}" if us >= 99_950 else f"{us / 1000:.3g}"
