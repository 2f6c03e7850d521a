"""The head of the page: figures of all requests, and sentences that say what matters most."""

from __future__ import annotations

from datetime import timedelta

from pipeline.report.findings import Findings
from pipeline.report.markup import element, text
from pipeline.report.words import cause, clock, span


def period(one: Findings) -> str:
    """When the requests arrived, with the precision of the time axis; empty if there are none."""
    if not one.bins:
        return ""
    first, last = one.bins[0], one.bins[-1] + timedelta(seconds=one.bin_s)
    day = "" if first.date() == last.date() else f"{last:%Y-%m-%d} "
    return (
        f"{first:%Y-%m-%d} {clock(first)} to {day}{clock(last)} UTC, "
        f"rounded to windows of {one.bin_s} s"
    )


def tiles(one: Findings) -> str:
    """The most important numbers."""
    waits = (
        (span(one.blame.waited_us), "of waits that delay requests"),
        (span(one.blame.idle_us), "of idle long polls, harmless"),
        (f"{one.timeouts:,}", "timed out"),
    )
    shown = (
        (f"{one.requests:,}", "requests"),
        *(() if one.is_from_outside else waits),
        *(((f"{one.malformed:,}", "malformed rows"),) if one.malformed else ()),
    )
    cells = (element("div", text("b", value), text("span", what)) for value, what in shown)
    return element("div", *cells, class_="tiles")


def summary_line(one: Findings) -> str:
    """What waited, and what caused most of it."""
    if one.is_from_outside:
        return "The waits and their causes are not known: recorded by a proxy."
    share = one.parked / one.requests if one.requests else 0.0
    parked = f"{share:.0%} of the requests were parked."
    causes = [each for each in one.blame.found if each.kind != "queue"]
    total = one.blame.waited_us
    if not total:
        return f"{parked} No wait delayed a request."
    first = causes[0]
    worst = cause(first.kind, first.name, first.detail)
    most = first.waited_us / total
    return (
        f"{parked} The largest cause is {worst}: {span(first.waited_us)} of waiting, "
        f"{most:.0%} of all that delayed requests, at most {span(first.longest_us)} in one wait."
    )
