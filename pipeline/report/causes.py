"""What caused the waiting, gathered for the page from the table `blame`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from pyspark.sql import functions as sf

from pipeline.output.published import Published
from pipeline.printable import printable

CAUSES_READ = 200
MARKS_READ = 2_000


@dataclass
class Cause:
    """One cause, with the requests that it delayed; ``apis`` has (waits, µs) of each API."""

    kind: str
    name: str | None
    detail: str | None
    waits: int = 0
    waited_us: int = 0
    longest_us: int = 0
    apis: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, api: str, waits: int, waited_us: int, longest_us: int) -> None:
        """Add the waits of one API."""
        self.waits += waits
        self.waited_us += waited_us
        self.longest_us = max(self.longest_us, longest_us)
        self.apis[printable(api)] = (waits, waited_us)


@dataclass(frozen=True)
class Mark:
    """A fault on the time line: the requests on which a rule fired, or that a replica delayed."""

    at: datetime
    kind: str
    name: str
    detail: str | None
    waits: int


@dataclass
class Causes:
    """The causes with the longest waits first; ``idle`` delay no client, by role."""

    found: list[Cause] = field(default_factory=list)
    idle: dict[str, Cause] = field(default_factory=dict)
    over_time: dict[tuple[datetime, str], int] = field(default_factory=dict)  # (bin, kind) -> µs
    marks: list[Mark] = field(default_factory=list)

    @property
    def waited_us(self) -> int:
        """The sum of all waits that delay a client, without queues."""
        apart = ("idle", "queue")
        return sum(us for (_, kind), us in self.over_time.items() if kind not in apart)

    @property
    def queued_us(self) -> int:
        """The sum of the times in queues."""
        return sum(us for (_, kind), us in self.over_time.items() if kind == "queue")

    @property
    def idle_us(self) -> int:
        """The sum of all idle waits."""
        return sum(us for (_, kind), us in self.over_time.items() if kind == "idle")


def causes_of(tables: Published, bin_s: int) -> Causes:
    """Return the causes in published tables; those of older runs have none."""
    if not tables.has_rows("blame"):
        return Causes()
    moment = (sf.floor(sf.unix_seconds("window") / bin_s) * bin_s).alias("at")
    blame = tables.table("blame")
    sums = (
        blame.groupBy("kind", "name", "detail", "api")
        .agg(sf.sum("waits"), sf.sum("waited_us").alias("waited_us"), sf.max("longest_us"))
        .orderBy(sf.desc("waited_us"), "kind", "name", "detail", "api")
        .limit(CAUSES_READ)
    )
    found: dict[tuple[str, str | None, str | None], Cause] = {}
    for kind, name, detail, api, *numbers in sums.collect():
        key = (kind, _shown(name), _shown(detail))
        found.setdefault(key, Cause(*key)).add(api, *numbers)
    over_time = blame.groupBy(moment, "kind").agg(sf.sum("waited_us")).collect()
    hurt = [each for each in found.values() if each.kind != "idle"]
    return Causes(
        sorted(hurt, key=lambda each: (-each.waited_us, -each.waits)),
        {each.detail or "": each for each in found.values() if each.kind == "idle"},
        {(_at(at), kind): us for at, kind, us in over_time},
        _marks(tables, bin_s),
    )


def _marks(tables: Published, bin_s: int) -> list[Mark]:
    moment = (sf.floor(sf.unix_seconds("window") / bin_s) * bin_s).alias("at")
    rows = (
        tables.table("blame")
        .where("kind = 'rule' or (kind = 'replica' and detail is not null)")
        .groupBy(moment, "kind", "name", "detail")
        .agg(sf.sum("waits"))
        .orderBy("at", "kind", "name", "detail")
        .limit(MARKS_READ)
    )
    return [
        Mark(_at(at), kind, _shown(name) or "(no name)", _shown(detail), waits)
        for at, kind, name, detail, waits in rows.collect()
    ]


def _shown(value: str | None) -> str | None:
    return None if value is None else printable(value)


def _at(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
