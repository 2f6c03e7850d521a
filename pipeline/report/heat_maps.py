"""Heat maps of the page: requests of each API by time and duration, and of produces by lag."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

from pipeline.computation.histogram import OCTAVE
from pipeline.report.charts import chart
from pipeline.report.findings import HALF_OCTAVE, Findings
from pipeline.report.heat import Cells, cells_picture, values
from pipeline.report.markup import element, text
from pipeline.report.scales import LogScale, Tick, time_ticks
from pipeline.report.words import clock, more, series, span

MAPS_SHOWN = 8
FIRST_ROW = OCTAVE // HALF_OCTAVE  # shorter times are in the first row


def heat_maps(one: Findings) -> str:
    """A map for each of the busiest APIs, idle long polls and followers apart."""
    busiest = sorted(one.over_time, key=lambda key: -sum(one.over_time[key].values()))
    shown = [_map(one, api, role) for api, role in busiest[:MAPS_SHOWN]]
    left = len(busiest) - len(shown)
    rest = text("p", more(left, "heat map", "left out, of fewer requests"), class_="soft")
    return element("div", *shown, class_="maps") + (rest if left else "")


def _map(one: Findings, api: str, role: str) -> str:
    place = {at: number for number, at in enumerate(one.bins)}
    cells: dict[tuple[int, int], int] = defaultdict(int)
    for (at, half), count in one.over_time[api, role].items():
        cells[place[at], max(0, half - FIRST_ROW)] += count
    first = min(y for _, y in cells)
    rows = max(y for _, y in cells) - first + 1
    drawn = {(x, y - first): count for (x, y), count in cells.items()}
    edges = [_edge(first + row) for row in range(rows + 1)]
    scale = LogScale(edges[0], edges[-1])
    name = series(api, role)
    return element(
        "div",
        text("h3", f"{name}: {sum(cells.values()):,} requests"),
        chart(
            f"{name}, by time and duration",
            cells_picture(drawn, rows),
            size=(len(one.bins), rows),
            x_ticks=time_ticks(one.bins, 4),
            y_ticks=scale.ticks(),
            x_title="arrival, UTC",
            y_title="total time",
            places={
                "columns": [clock(at) for at in one.bins],
                "rows": [f"{span(a)} to {span(b)}" for a, b in itertools.pairwise(edges)],
                "values": values(drawn),
                "unit": "requests",
            },
            height_rem=9,
        ),
    )


def _edge(row: int) -> float:
    """The lower end of a row, in µs: rows are half octaves."""
    octave, half = divmod(row + FIRST_ROW, OCTAVE // HALF_OCTAVE)
    return (OCTAVE + half * HALF_OCTAVE) * 2.0 ** (octave - 1)


def lag_map(one: Findings) -> str:
    """Produces by the lag of the high watermark and the time for which they were parked."""
    cells: dict[tuple[int, int], int] = defaultdict(int)
    for (lag, us), count in one.lag.items():
        cells[_log2(lag), max(0, _log2(us / 1000, 2) + 7)] += count
    first = min(y for _, y in cells)
    columns, rows = max(x for x, _ in cells) + 1, max(y for _, y in cells) - first + 1
    drawn = {(x, y - first): count for (x, y), count in cells.items()}
    lags = ["0" if x == 0 else f"{2 ** (x - 1):,}" for x in range(columns + 1)]
    edges = [1000 * 2.0 ** ((first + row - 8) / 2) for row in range(rows + 1)]
    picture: Cells = drawn
    return chart(
        "Parked produces by lag",
        cells_picture(picture, rows),
        size=(columns, rows),
        x_ticks=_every(lags[:-1], 6),
        y_ticks=LogScale(edges[0], edges[-1]).ticks(),
        x_title="lag of the high watermark at the beginning of the wait, in records",
        y_title="parked",
        places={
            "columns": [f"lag {a} to {b}" for a, b in itertools.pairwise(lags)],
            "rows": [f"{span(a)} to {span(b)}" for a, b in itertools.pairwise(edges)],
            "values": values(drawn),
            "unit": "produces",
        },
    )


def _log2(value: float, steps: int = 1) -> int:
    """The row of a value: 0 below 1 with whole octaves; with *steps*, that many in an octave."""
    if steps == 1:
        return 0 if value < 1 else 1 + math.floor(math.log2(value))
    return 1 + math.floor(steps * math.log2(max(value, 2**-4)))


def _every(labels: list[str], count: int) -> list[Tick]:
    step = max(1, math.ceil(len(labels) / count))
    return [(i / len(labels), labels[i]) for i in range(0, len(labels), step)]
