"""The content of a page, gathered from the tables; its size does not depend on the records."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from pipeline.computation.cells import by_scope
from pipeline.computation.histogram import OCTAVE, QUANTILES, Histogram, middle_of, quantile_of
from pipeline.computation.roles import FOLLOWER_ID, REQUEST
from pipeline.output.published import Published
from pipeline.printable import printable, printable_row
from pipeline.report.causes import Causes, causes_of

TIME_BINS = 120  # the maximum of a plot, for recordings of any length
HALF_OCTAVE = OCTAVE // 2  # buckets in a row of a heat map
TOP_READ = 40  # of each purgatory and role, from which the page takes examples
DELIVERIES_SHOWN = 12
CLIENTS_SHOWN = 12
APIS_SHOWN = 12
OF_RECORDER = ("unknown", "disconnect", "shutdown")  # the causes that a proxy can record


@dataclass
class Series:
    """The requests of one API in one role."""

    api: str
    role: str
    phases: dict[str, list[tuple[float, int]]] = field(default_factory=dict)  # histograms, in µs
    longest_us: dict[str, int] = field(default_factory=dict)  # of each phase
    count: int = 0

    def __post_init__(self) -> None:
        """Escapes the name, which may be any text."""
        self.api = printable(self.api)

    def quantiles(self, phase: str) -> dict[str, float]:
        """Percentiles and maximum of a phase, in µs."""
        return _quantiles(self.phases[phase], self.longest_us[phase])


def _quantiles(histogram: Histogram, longest_us: int) -> dict[str, float]:
    found = {name: quantile_of(histogram, share) for name, share in QUANTILES.items()}
    longest = float(longest_us)
    return {name: min(value, longest) for name, value in found.items()} | {"max": longest}


@dataclass
class Api:
    """The requests of one API."""

    name: str
    count: int = 0
    phases: dict[str, float] = field(default_factory=dict)  # mean of each phase, in µs
    histogram: list[tuple[float, int]] = field(default_factory=list)  # of the total time, in µs
    longest_us: int = 0
    parked: int = 0
    timeouts: int = 0
    unexplained: int = 0  # of which only the recorder knows why they ended

    def __post_init__(self) -> None:
        """Escapes the name, which may be any text."""
        self.name = printable(self.name)

    @property
    def mean_us(self) -> float:
        """The mean of the total time, in µs."""
        return self.phases["total"]

    @property
    def total(self) -> dict[str, float]:
        """Percentiles and maximum of the total time, in µs."""
        return _quantiles(self.histogram, self.longest_us)


@dataclass
class Findings:
    """The content of a page; all texts are printable."""

    name: str
    malformed: int
    apis: list[Api]
    series: list[Series]  # the same requests by API and role
    bin_s: int
    # API and role -> (bin, half octave of the total time) -> requests
    over_time: dict[tuple[str, str], dict[tuple[datetime, int], int]]
    lag: dict[tuple[float, float], int]  # (records behind, µs parked) -> produces
    top: list[dict[str, Any]]
    deliveries: list[dict[str, Any]]
    clients: list[dict[str, Any]]
    blame: Causes

    def __post_init__(self) -> None:
        """Escape the texts that are not printable."""
        self.name = printable(self.name)
        self.over_time = {
            (printable(api), role): cells for (api, role), cells in self.over_time.items()
        }
        self.top = [*map(printable_row, self.top)]
        self.deliveries = [*map(printable_row, self.deliveries)]
        self.clients = [*map(printable_row, self.clients)]

    @property
    def requests(self) -> int:
        """The number of requests."""
        return sum(api.count for api in self.apis)

    @property
    def parked(self) -> int:
        """The number of requests that waited in a purgatory."""
        return sum(api.parked for api in self.apis)

    @property
    def timeouts(self) -> int:
        """The number of requests that timed out."""
        return sum(api.timeouts for api in self.apis)

    @property
    def is_from_outside(self) -> bool:
        """Whether the records are those of a proxy, which does not see waits and their causes."""
        unexplained = sum(api.unexplained for api in self.apis)
        return 0 < self.requests == unexplained and not self.parked

    @property
    def bins(self) -> list[datetime]:
        """The moments on the time axis."""
        return sorted({at for cells in self.over_time.values() for at, _ in cells})


def gather(tables: Published, name: str, window_s: int) -> Findings:
    """Return the findings in one set of published tables."""
    cells = by_scope(_with_roles(tables.table("cells"))).where("scope = 'request'")
    total = cells.where("phase = 'total'").cache()
    try:
        bin_s = _bin_s(total, window_s)
        moment = sf.floor(sf.unix_seconds("window") / bin_s) * bin_s
        over_time = _over_time(total, moment)
        series = _series(cells)
        apis = _apis(cells, total)
    finally:
        total.unpersist()
    lag = tables.table("produce_lag").collect()
    return Findings(
        name=name,
        malformed=tables.table("malformed").count(),
        apis=apis,
        series=series,
        bin_s=bin_s,
        over_time=over_time,
        lag={(middle_of(x), middle_of(y)): count for x, y, count in lag},
        top=_top(tables),
        deliveries=_deliveries(tables),
        clients=_clients(tables),
        blame=causes_of(tables, bin_s),
    )


def _with_roles(cells: DataFrame) -> DataFrame:
    """Return *cells* with a role, which those of older runs do not have."""
    if "role" not in cells.columns:
        return cells.withColumn("role", sf.lit(REQUEST))
    return cells.withColumn("role", sf.coalesce("role", sf.lit(REQUEST)))


def _bin_s(total: DataFrame, window_s: int) -> int:
    """The width of a bin on the time axis: a multiple of the window."""
    first, last = total.agg(
        sf.min(sf.unix_seconds("window")), sf.max(sf.unix_seconds("window"))
    ).collect()[0]
    windows: int = (last - first) // window_s + 1
    return window_s * max(1, -(-windows // TIME_BINS))


def _over_time(
    total: DataFrame, moment: Column
) -> dict[tuple[str, str], dict[tuple[datetime, int], int]]:
    """Return the requests of each API and role by bin and half octave of the total time."""
    row = sf.floor(sf.col("bucket") / HALF_OCTAVE)
    found: dict[tuple[str, str], dict[tuple[datetime, int], int]] = {}
    for at, half, api, role, count in (
        total.groupBy(moment.alias("at"), row.alias("half"), "api", "role")
        .agg(sf.sum("count"))
        .collect()
    ):
        found.setdefault((api, role), {})[(_at(at), half)] = count
    return found


def _series(cells: DataFrame) -> list[Series]:
    """Return the distribution of each phase by API and role, the busiest first."""
    found: dict[tuple[str, str], Series] = {}
    for api, role, phase, bucket, requests, longest in (
        cells.groupBy("api", "role", "phase", "bucket")
        .agg(sf.sum("count"), sf.max("max"))
        .orderBy("bucket")
        .collect()
    ):
        one = found.setdefault((api, role), Series(api, role))
        one.phases.setdefault(phase, []).append((middle_of(bucket), requests))
        one.longest_us[phase] = max(one.longest_us.get(phase, 0), longest)
        one.count += requests if phase == "total" else 0
    return sorted(found.values(), key=lambda each: (-each.count, each.api, each.role))


def _apis(cells: DataFrame, total: DataFrame) -> list[Api]:
    """Return the APIs, the busiest first."""
    timed_out = sf.when(sf.col("cause") == "timeout", sf.col("count")).otherwise(0)
    outside = sf.col("cause").isin(*OF_RECORDER)
    unexplained = sf.when(outside, sf.col("count")).otherwise(0)
    found: dict[str, Api] = {}
    for row in (
        total.groupBy("api", "bucket")
        .agg(
            sf.sum("count").alias("requests"),
            sf.max("max").alias("longest"),
            sf.sum("parked").alias("parked"),
            sf.sum(timed_out).alias("timeouts"),
            sf.sum(unexplained).alias("unexplained"),
        )
        .orderBy("bucket")
        .collect()
    ):
        api = found.setdefault(row.api, Api(row.api))
        api.histogram.append((middle_of(row.bucket), row.requests))
        api.count += row.requests
        api.longest_us = max(api.longest_us, row.longest)
        api.parked += row.parked
        api.timeouts += row.timeouts
        api.unexplained += row.unexplained
    for row in (
        cells.groupBy("api", "phase").agg((sf.sum("sum") / sf.sum("count")).alias("mean")).collect()
    ):
        found[row.api].phases[row.phase] = row.mean
    return sorted(found.values(), key=lambda api: (-api.count, api.name))


def _top(tables: Published) -> list[dict[str, Any]]:
    """Return the longest waits, from which the page takes examples."""
    longest = tables.table("top_waits").where(sf.col("rank") <= TOP_READ)
    return _rows(longest.orderBy(sf.desc("parked_us"), "purgatory", "rank"))


def _deliveries(tables: Published) -> list[dict[str, Any]]:
    """Return the times from append to delivery of the busiest partitions and consumers.

    Followers, which read the same batches, are left out.
    """
    if not tables.has_rows("delivery_latency"):
        return []
    table = tables.table("delivery_latency").where(
        f"phase = 'append_to_delivery' and not coalesce(consumer, '') rlike '{FOLLOWER_ID}'"
    )
    busiest = (
        table.groupBy("topic", "partition", "consumer")
        .agg(
            sf.sum("count").alias("count"),
            (sf.sum(sf.col("mean") * sf.col("count")) / sf.sum("count")).alias("mean"),
            sf.max("p99").alias("worst_p99"),
            sf.max("max").alias("max"),
        )
        .orderBy(sf.desc("count"), "topic", "partition")
        .limit(DELIVERIES_SHOWN)
    )
    return _rows(busiest)


def _clients(tables: Published) -> list[dict[str, Any]]:
    """Return the busiest clients, without followers."""
    if not tables.has_rows("clients"):  # the tables of an older run
        return []
    name = ("client_id", "principal", "listener")
    counted = ("requests", "parked", "timeouts", "failed", "total_us")
    busiest = (
        tables.table("clients")
        .where(f"not coalesce(client_id, '') rlike '{FOLLOWER_ID}'")
        .groupBy(*name)
        .agg(*(sf.sum(each).alias(each) for each in counted), sf.max("longest_us").alias("max"))
        .withColumn("mean", sf.col("total_us") / sf.col("requests"))
        .orderBy(sf.desc("requests"), *name)
        .limit(CLIENTS_SHOWN)
    )
    return _rows(busiest)


def _rows(table: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in table.collect()]


def _at(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
