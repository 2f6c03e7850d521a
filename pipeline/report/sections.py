"""The sections of the page, in their order, each with a sentence that says what it shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pipeline.computation.roles import REQUEST
from pipeline.report.blame_list import blame_list
from pipeline.report.charts import HINT
from pipeline.report.curves import percentile_curves
from pipeline.report.findings import Api, Findings
from pipeline.report.heat_maps import heat_maps, lag_map
from pipeline.report.markup import element, table
from pipeline.report.phase_lanes import phase_lanes
from pipeline.report.time_line import time_line
from pipeline.report.waterfall import waterfall
from pipeline.report.words import NO_NAME, milliseconds

LONGEST_SHOWN = 4  # of each purgatory and role
_HEAD = ("API", "requests", "parked", "timeouts", "p50", "p90", "p99", "p99.9", "max")


class Section(NamedTuple):
    """A part of the page; ``content`` is markup."""

    anchor: str
    head: str
    lead: str
    content: str


def sections(one: Findings) -> list[Section]:
    """The sections of one set of records."""
    return [*_causes(one), *_distributions(one), *_lists(one)]


def _lists(one: Findings) -> list[Section]:
    found = []
    if one.top:
        lead = (
            f"At most {LONGEST_SHOWN} of each purgatory. Open one to see its phases as bars, and"
            " the sentences that explain it."
        )
        found.append(Section("longest", "Longest waits", lead, _longest(one)))
    if one.clients:
        lead = (
            "The busiest clients by client id, principal and listener, without followers; times in"
            " milliseconds."
        )
        found.append(Section("clients", "Clients", lead, _clients(one)))
    if one.lag:
        lead = (
            "A Produce with acks=all is parked until the replicas in sync have its records. Up:"
            " longer waits; right: more records to replicate."
        )
        found.append(Section("lag", "Parked produces and lag", lead, lag_map(one)))
    if one.deliveries:
        lead = "From the end of an append until a consumer received its records, in milliseconds."
        found.append(Section("deliveries", "From produce to fetch", lead, _deliveries(one)))
    return found


def compared(sets: Sequence[Findings]) -> list[Section]:
    """The sections that compare two sets of records."""
    one, other = sets
    found = [
        Section(
            "curves",
            "Duration of requests",
            f"Solid: {one.name}; dashed: {other.name}.",
            percentile_curves(sets),
        ),
        Section(
            "apis",
            "By API",
            "Percentiles of the total time, in milliseconds.",
            _side_by_side(one, other),
        ),
    ]
    for number, each in enumerate(sets):
        found += [
            part._replace(anchor=f"{part.anchor}-{number}", head=f"{part.head}: {each.name}")
            for part in (*_causes(each), _heat(each))
        ]
    return found


def _causes(one: Findings) -> list[Section]:
    if not one.blame.found:
        return []
    return [
        Section(
            "causes",
            "What caused the waiting",
            "Each wait counts for one cause, so the times add up. Many requests wait at the same"
            " time, so the sum exceeds the length of the recording. Open a cause to see which APIs"
            " it delayed, and its longest waits.",
            blame_list(one.blame, one.top),
        ),
        Section(
            "time",
            "Waiting over time",
            "How long the requests that arrived at a time waited, by kind of cause. Idle long"
            " polls are left out. The lanes below show when faults acted. " + HINT,
            time_line(one),
        ),
    ]


def _heat(one: Findings) -> Section:
    return Section(
        "heat",
        "Duration over time",
        "Darker (in dark mode: brighter) places have more requests. A horizontal line is a"
        " timeout; idle long polls and followers have maps of their own. " + HINT,
        heat_maps(one),
    )


def _distributions(one: Findings) -> list[Section]:
    return [
        _heat(one),
        Section(
            "phases",
            "Phases",
            "Where the time of requests goes. The line is the median (p50); the bar is solid up to"
            " p90, lighter up to p99, and thin up to the maximum. The axis is logarithmic.",
            phase_lanes(one),
        ),
        Section(
            "curves",
            "Percentiles",
            "Total time by percentile; the right end shows the rarest requests.",
            percentile_curves([one]),
        ),
        Section(
            "apis", "By API", "Percentiles of the total time, in milliseconds.", _apis(one.apis)
        ),
    ]


def _longest(one: Findings) -> str:
    seen: dict[tuple[str | None, str | None], int] = {}
    hurt: list[str] = []
    idle: list[str] = []
    for wait in one.top:
        key = (wait.get("purgatory"), wait.get("role"))
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= LONGEST_SHOWN:
            (hurt if wait.get("role") in (REQUEST, None) else idle).append(waterfall(wait))
    if not idle:
        return "".join(hurt)
    name = f"<summary>{len(idle)} idle long polls and fetches of followers</summary>"
    return "".join(hurt) + element("details", name, *idle, class_="more")


def _apis(apis: Iterable[Api]) -> str:
    return table(_HEAD, (_api_row(api) for api in apis))


def _api_row(api: Api) -> list[str]:
    percentiles = [milliseconds(api.total[name]) for name in ("p50", "p90", "p99", "p99_9", "max")]
    parked = f"{api.parked / api.count:.1%}"
    return [api.name, f"{api.count:,}", parked, f"{api.timeouts:,}", *percentiles]


def _side_by_side(one: Findings, other: Findings) -> str:
    others = {api.name: api for api in other.apis}
    rows = []
    for api in one.apis:
        rows.append([f"{api.name} · {one.name}", *_api_row(api)[1:]])
        if twin := others.pop(api.name, None):
            rows.append([f"{api.name} · {other.name}", *_api_row(twin)[1:]])
    rows += [[f"{api.name} · {other.name}", *_api_row(api)[1:]] for api in others.values()]
    return table(_HEAD, rows)


def _clients(one: Findings) -> str:
    head = ("client", "principal", "listener", "requests", "parked", "timeouts", "failed")
    rows = (
        [
            row["client_id"] or NO_NAME,
            row["principal"] or "-",
            row["listener"] or "-",
            f"{row['requests']:,}",
            f"{row['parked'] / row['requests']:.1%}",
            *(f"{row[name]:,}" for name in ("timeouts", "failed")),
            *(milliseconds(row[name]) for name in ("mean", "max")),
        ]
        for row in one.clients
    )
    return table((*head, "mean", "max"), rows)


def _deliveries(one: Findings) -> str:
    head = ("partition", "consumer", "batches", "mean", "worst p99 of a window", "max")
    rows = (
        [
            f"{row['topic']}-{row['partition']}",
            row["consumer"] or NO_NAME,
            f"{row['count']:,}",
            *(milliseconds(row[name]) for name in ("mean", "worst_p99", "max")),
        ]
        for row in one.deliveries
    )
    return table(head, rows)
