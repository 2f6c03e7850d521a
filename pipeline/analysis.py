"""The analysis of ``antechamber analyze``: the tables, the page, and a summary in the terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from pipeline import batch, stream
from pipeline.arguments import Arguments
from pipeline.errors import PipelineError, in_one_line
from pipeline.limits import exceeded
from pipeline.output import delta, manifest
from pipeline.output.store import Store
from pipeline.outputs import check_outputs
from pipeline.paths import plain_paths_are_local
from pipeline.report.figures import write_figures
from pipeline.report.findings import Findings, gather
from pipeline.report.hgrm import write_histograms
from pipeline.report.page import page
from pipeline.sources import Source, source_of
from pipeline.spark.jars import DELTA, KAFKA, JarSet
from pipeline.spark.session import open_session
from pipeline.summary import Display, show

REFRESH_S = 30
PAUSE = 4  # pause between publications, as a multiple of the duration of the last one


def run(arguments: Arguments, display: Display) -> bool:
    """Run the analysis; returns whether a limit is exceeded.

    Raises `PipelineError` if the analysis cannot be done.
    """
    names = arguments.compare or arguments.sources
    given = [(name,) for name in names] if arguments.compare else [names]
    local = plain_paths_are_local(arguments.master, arguments.settings, os.environ)
    sources = [source_of(one, plain_paths_are_local=local) for one in given]
    for source in sources:
        source.reach()
    check_outputs(arguments, plain_paths_are_local=local)
    report = _report_path(arguments)
    jars: list[Path] = []
    for each in _jar_sets(arguments, sources):
        found_jars = each.jars()
        display.step(f"using {each.name} from {found_jars[0].parent}")
        jars += found_jars
    settings = arguments.settings
    if arguments.table_format == manifest.DELTA:
        settings = delta.SETTINGS | settings
    display.step("starting Spark")
    spark = open_session(arguments.master, jars, settings, verbose=arguments.verbose)
    try:
        with display.watching(spark):
            found = _analysed(spark, arguments, display)
            report.parent.mkdir(parents=True, exist_ok=True)
            _write(report, page(found))
    except PipelineError:
        raise
    except Exception as error:
        if arguments.verbose:
            raise
        raise PipelineError(in_one_line(error, " ".join(names), arguments.out)) from error
    finally:
        spark.stop()
    for one in found:
        show(display.console, one)
    sys.stdout.write(f"report: {report}\n")
    return _written(arguments, found)


def _jar_sets(arguments: Arguments, sources: Sequence[Source]) -> Iterator[JarSet]:
    """The jars that Spark needs besides its own, unless they are given."""
    if "spark.jars" in arguments.settings:
        return
    if any(source.needs_connector for source in sources):
        yield KAFKA
    if arguments.table_format == manifest.DELTA:
        yield DELTA


def _written(arguments: Arguments, found: Sequence[Findings]) -> bool:
    """Write the files for other programs, and return whether a limit is exceeded."""
    if arguments.summary:
        write_figures(arguments.summary, found)
    if arguments.hgrm:
        folders = [arguments.hgrm] if len(found) == 1 else [f"{arguments.hgrm}/{x}" for x in "ab"]
        for folder, each in zip(folders, found, strict=True):
            write_histograms(folder, each)
    if not arguments.compare:
        return False
    before, after = found
    lines = [*exceeded(before, after, arguments.limits, arguments.least)]
    for line in lines:
        sys.stdout.write(f"above the limit: {line}\n")
    return bool(lines)


def _analysed(spark: SparkSession, arguments: Arguments, display: Display) -> list[Findings]:
    window_s = arguments.window_s
    if arguments.compare:
        return [
            _batch(spark, (name,), f"{arguments.out}/{side}", name, arguments, display)
            for side, name in zip("ab", arguments.compare, strict=True)
        ]
    name = " ".join(arguments.sources)
    if not arguments.streamed:
        return [_batch(spark, arguments.sources, arguments.out, name, arguments, display)]
    source = source_of(arguments.sources)
    query = stream.start(
        spark,
        source,
        arguments.out,
        window_s,
        follow=arguments.follow,
        time_zone=arguments.log_time_zone,
        table_format=arguments.table_format,
    )
    display.step("reading new records")
    try:
        if arguments.follow:
            pause_s = float(REFRESH_S)
            while not query.awaitTermination(int(pause_s)):
                began = time.monotonic()
                if stream.has_new(spark, arguments.out):
                    stream.publish(spark, arguments.out, window_s, display.step)
                pause_s = max(REFRESH_S, PAUSE * (time.monotonic() - began))
        else:
            query.awaitTermination()
    except KeyboardInterrupt:
        query.stop()
    stream.publish(spark, arguments.out, window_s, display.step)
    return [gather(Store(spark, arguments.out).published(), name, window_s)]


def _batch(
    spark: SparkSession,
    names: tuple[str, ...],
    out: str,
    name: str,
    arguments: Arguments,
    display: Display,
) -> Findings:
    window_s, zone = arguments.window_s, arguments.log_time_zone
    source, form = source_of(names), arguments.table_format
    batch.analyse(spark, source, out, window_s, display.step, zone, form)
    display.step("drawing")
    return gather(Store(spark, out).published(), name, window_s)


def _report_path(arguments: Arguments) -> Path:
    if arguments.report:
        return Path(arguments.report)
    local = arguments.out.removeprefix("file://")
    if "://" in local:
        return Path("report.html")
    return Path(local) / "report.html"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PipelineError(f"--report {path}: {error.strerror}") from None
