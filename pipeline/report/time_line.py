"""The time line: how much waiting each kind of cause added, and when faults were in effect."""

from __future__ import annotations

from datetime import datetime

from pipeline.report.causes import Causes, Mark
from pipeline.report.charts import chart, legend
from pipeline.report.findings import Findings
from pipeline.report.markup import element, text
from pipeline.report.scales import linear_ticks, time_ticks
from pipeline.report.words import KINDS, clock, more, span

MARKS_SHOWN = 8
Lane = tuple[str, str, str | None]  # kind, name, detail


def time_line(one: Findings) -> str:
    """Stacked columns of seconds waited, with a lane for each fault below."""
    bins, causes = one.bins, one.blame
    kinds = [kind for kind in KINDS if any(kind == k for _, k in causes.over_time)]
    columns = [_column(causes, at, kinds) for at in bins]
    most = 1.05 * max((sum(column) for column in columns), default=0.0) or 1.0
    picture = "".join(_bars(kind, number, columns, most) for number, kind in enumerate(kinds))
    drawn = chart(
        "Waiting over time",
        picture,
        size=(len(bins), most),
        x_ticks=time_ticks(bins),
        y_ticks=linear_ticks(most),
        x_title="arrival of the requests, UTC",
        y_title=f"seconds waited, for each {one.bin_s} s",
        places={"columns": len(bins), "texts": _texts(one, kinds)},
    )
    keys = legend([(f"kind-{kind}", KINDS[kind]) for kind in kinds])
    return keys + drawn + _lanes(causes.marks, bins)


def _column(causes: Causes, at: datetime, kinds: list[str]) -> list[float]:
    return [causes.over_time.get((at, kind), 0) / 1e6 for kind in kinds]


def _bars(kind: str, number: int, columns: list[list[float]], most: float) -> str:
    path = "".join(
        f"M{x} {most - sum(column[:number]):.6g}h1v{-column[number]:.6g}h-1z"
        for x, column in enumerate(columns)
        if column[number] > most / 2000
    )
    return element("path", class_=f"kind-{kind}", d=path) if path else ""


def _texts(one: Findings, kinds: list[str]) -> list[str]:
    return [_text(one.blame, at, kinds) for at in one.bins]


def _text(causes: Causes, at: datetime, kinds: list[str]) -> str:
    waited = {kind: causes.over_time.get((at, kind), 0) for kind in kinds}
    parts = [f"{KINDS[kind]} {span(us)}" for kind, us in waited.items() if us]
    faults = [_name(_lane(mark)) for mark in causes.marks if mark.at == at][:3]
    return (
        f"{clock(at)}: "
        + (", ".join(parts) or "no waits")
        + (f". Faults: {', '.join(faults)}" if faults else "")
    )


def _lanes(marks: list[Mark], bins: list[datetime]) -> str:
    """A lane for each fault, the first one first, with a mark in each bin in which it acted."""
    lanes: dict[Lane, dict[datetime, int]] = {}
    for mark in marks:
        lane = lanes.setdefault(_lane(mark), {})
        lane[mark.at] = lane.get(mark.at, 0) + mark.waits
    if not lanes:
        return text("p", "No fault rule fired, and no replica was paused.", class_="soft")
    busiest = sorted(lanes, key=lambda lane: -sum(lanes[lane].values()))[:MARKS_SHOWN]
    rows = "".join(_row(lane, seen, bins) for lane, seen in lanes.items() if lane in busiest)
    left = len(lanes) - len(busiest)
    rest = text("p", more(left, "fault"), class_="soft") if left else ""
    return text("h3", "Faults") + element("ol", rows, class_="lanes") + rest


def _row(lane: Lane, seen: dict[datetime, int], bins: list[datetime]) -> str:
    place = {at: number for number, at in enumerate(bins)}
    path = "".join(f"M{place[at]} .5h1" for at in sorted(seen) if at in place)
    drawn = element(
        "svg",
        element("path", d=path, class_="mark"),
        viewBox=f"0 0 {len(bins)} 1",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    first, last = clock(min(seen)), clock(max(seen))
    words = f"{sum(seen.values()):,} requests affected, {first} to {last}"
    return element("li", text("span", _name(lane)), text("span", words, class_="number"), drawn)


def _lane(mark: Mark) -> Lane:
    return (mark.kind, mark.name, mark.detail)


def _name(lane: Lane) -> str:
    kind, name, detail = lane
    what = "rule" if kind == "rule" else "nodes" if "," in name else "node"
    return f"{what} {name}: {(detail or 'fired').replace('_', ' ')}"
