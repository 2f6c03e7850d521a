"""The latency table by one engine: `python -m benchmarks.analysis_engines ENGINE RECORDS OUT`.

Each engine computes the same rows: count, mean, percentiles and maximum of every (scope, window,
API, topic, partition, cause, phase). Spark and the Python loop read percentiles from histograms,
DuckDB computes them exactly. The output is Parquet, for the Python loop JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from pipeline.computation.cells import UNKNOWN, cells
from pipeline.computation.histogram import QUANTILES, bucket_of, middle_of, quantile_of
from pipeline.computation.schema import PHASES, parsed
from pipeline.computation.tables import latency, records_of
from pipeline.sources import FileSource
from pipeline.spark.session import open_session

WINDOW_S = 60
READING = "reading records"  # the line that the command prints when Spark has started
_MICROSECONDS = ", ".join(f"{phase}_us" for phase in PHASES)
_COLUMNS = ", ".join(
    [
        "api: 'VARCHAR', arrived_us: 'BIGINT', completed_by: 'STRUCT(cause VARCHAR)'",
        "partitions: 'STRUCT(topic VARCHAR, partition INTEGER)[]'",
        *(f"{phase}_us: 'BIGINT'" for phase in PHASES),
    ]
)
_SQL = f"""
COPY (
    WITH records AS (
        SELECT arrived_us // {WINDOW_S * 1_000_000} * {WINDOW_S} AS "window", api,
               coalesce(completed_by.cause, '{UNKNOWN}') AS cause, partitions, {_MICROSECONDS}
        FROM read_json('$records', format = 'newline_delimited', columns = {{{_COLUMNS}}})
    ), places AS (
        SELECT 'request' AS scope, NULL AS place, * EXCLUDE partitions FROM records
        UNION ALL
        SELECT 'partition', unnest(partitions), * EXCLUDE partitions FROM records
    ), waits AS (
        SELECT scope, "window", api, place.topic AS topic, place.partition AS part, cause,
               unnest({list(PHASES)}) AS phase, unnest([{_MICROSECONDS}]) AS us
        FROM places
    )
    SELECT scope, "window", api, topic, part, cause, phase, count(*) AS "count", avg(us) AS mean,
           quantile_disc(us, {list(QUANTILES.values())}) AS percentiles, max(us) AS max
    FROM waits GROUP BY ALL
) TO '$out' (FORMAT parquet)
"""


def by_spark(records: Path, out: Path) -> None:
    """As the pipeline, on two cores: cells are counted once for both scopes."""
    spark = open_session("local[2]", [], {}, verbose=False)
    print(READING, flush=True)
    rows = records_of(parsed(FileSource((str(records),)).read(spark)))
    counted = f"{out}-cells"
    cells(rows, WINDOW_S).write.mode("overwrite").parquet(counted)
    latency(spark.read.parquet(counted)).write.parquet(str(out))
    spark.stop()


def by_parsing(records: Path, _out: Path) -> None:
    """Spark parses the lines as the pipeline does, and computes nothing."""
    spark = open_session("local[2]", [], {}, verbose=False)
    print(READING, flush=True)
    parsed(FileSource((str(records),)).read(spark)).write.format("noop").mode("overwrite").save()
    spark.stop()


def by_duckdb(records: Path, out: Path) -> None:
    """In one query."""
    database = import_module("duckdb")
    database.sql("SET threads = 2")
    database.sql(_SQL.replace("$records", str(records)).replace("$out", str(out)))


def by_python(records: Path, out: Path) -> None:
    """In one loop, on one core."""
    histograms: dict[tuple[Any, ...], Counter[int]] = defaultdict(Counter)
    sums: Counter[tuple[Any, ...]] = Counter()
    longest: dict[tuple[Any, ...], int] = defaultdict(int)
    with records.open() as file:
        for record in map(json.loads, file):
            for key in _keys(record):
                for phase in PHASES:
                    us = record[f"{phase}_us"]
                    histograms[*key, phase][bucket_of(us)] += 1
                    sums[*key, phase] += us
                    longest[*key, phase] = max(longest[*key, phase], us)
    with out.open("w") as file:
        for key, counts in histograms.items():
            histogram = [(middle_of(bucket), count) for bucket, count in sorted(counts.items())]
            found = [quantile_of(histogram, share) for share in QUANTILES.values()]
            count = counts.total()
            file.write(json.dumps([*key, count, sums[key] / count, *found, longest[key]]) + "\n")


def _keys(record: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The keys of a record: as a request, and at each of its partitions."""
    window = record["arrived_us"] // (WINDOW_S * 1_000_000) * WINDOW_S
    cause = (record["completed_by"] or {}).get("cause", UNKNOWN)
    yield "request", window, record["api"], None, None, cause
    for each in record["partitions"]:
        yield "partition", window, record["api"], each["topic"], each["partition"], cause


ENGINES: dict[str, Callable[[Path, Path], None]] = {
    "spark": by_spark,
    "parsing": by_parsing,
    "duckdb": by_duckdb,
    "python": by_python,
}

if __name__ == "__main__":
    ENGINES[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
