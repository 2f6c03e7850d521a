"""The page: plots and tables in one HTML file without external references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import count
from pathlib import Path

from pipeline.report import plots
from pipeline.report.findings import Api, Findings

_STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
_NO_NAME = "(no name)"
_HEAD = ("API", "requests", "parked", "timeouts", "p50", "p90", "p99", "p99.9", "max")


def page(sets: Sequence[Findings]) -> str:
    """Return the page of one set of records, or of two for comparison."""
    one = sets[0]
    title = " against ".join(each.name for each in sets)
    sections = _compared(sets) if len(sets) > 1 else _sections(one)
    named = len(sets) > 1
    tiles = "".join((_name(each) if named else "") + _tiles(each) for each in sets)
    body = "".join(
        f'<section><h2>{escape(head)}</h2><p class="lead">{escape(lead)}</p>{content}</section>'
        for head, lead, content in sections
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}: waits of requests</title>'
        f"<style>{_STYLE}</style></head><body><header><p>antechamber</p>"
        f"<h1>Waits of requests</h1><p>{escape(title)}</p></header>"
        f"<main>{tiles}{body}</main></body></html>"
    )


Section = tuple[str, str, str]


def _sections(one: Findings) -> list[Section]:
    sections = [
        ("By API", "Percentiles of the total time, in milliseconds.", _apis(one.apis)),
        (
            "Duration of requests",
            "Total time by percentile; the right end shows the rarest requests.",
            _picture(plots.percentile_curves([one])),
        ),
        (
            "Latency over time",
            "Timeouts appear as a horizontal line.",
            _picture(plots.latency_over_time(one)),
        ),
        (
            "Causes of completion",
            "Each request is counted once.",
            _picture(plots.causes_over_time(one)),
        ),
        ("Time by phase", "The mean of each phase, by API.", _picture(plots.phases(one))),
    ]
    if one.clients:
        lead = "The busiest clients by client id, principal and listener; times in milliseconds."
        sections.append(("By client", lead, _clients(one)))
    if one.lag:
        lead = "A Produce with acks=all is parked until the in-sync replicas have its records."
        picture = _picture(plots.parked_against_lag(one))
        sections.append(("Parked produces and the high watermark", lead, picture))
    if one.top:
        sections.append(
            ("The longest waits", "The longest of each purgatory, explained.", _top(one))
        )
    if one.deliveries:
        lead = (
            "Time from the end of an append until a consumer received its records, in milliseconds."
        )
        sections.append(("From produce to fetch", lead, _deliveries(one)))
    return sections


def _compared(sets: Sequence[Findings]) -> list[Section]:
    one, other = sets
    return [
        (
            "Duration of requests",
            f"Solid: {one.name}; dashed: {other.name}.",
            _picture(plots.percentile_curves(sets)),
        ),
        ("By API", "Percentiles of the total time, in milliseconds.", _side_by_side(one, other)),
        *(
            (f"{what}: {each.name}", lead, _picture(draw(each)))
            for what, lead, draw in (
                (
                    "Latency over time",
                    "Timeouts appear as a horizontal line.",
                    plots.latency_over_time,
                ),
                ("Causes of completion", "Each request is counted once.", plots.causes_over_time),
            )
            for each in sets
        ),
    ]


def _tiles(one: Findings) -> str:
    share = one.parked / one.requests if one.requests else 0.0
    tiles = (
        (f"{one.requests:,}", "requests"),
        (f"{share:.1%}", "were parked"),
        (f"{one.timeouts:,}", "timed out"),
        (f"{one.malformed:,}", "malformed rows"),
    )
    cells = "".join(f"<div><b>{value}</b><span>{what}</span></div>" for value, what in tiles)
    return f'<div class="tiles">{cells}</div>'


def _name(one: Findings) -> str:
    return f'<p class="name">{escape(one.name)}</p>'


def _apis(apis: Iterable[Api]) -> str:
    return _table(_HEAD, (_api_row(api) for api in apis))


def _api_row(api: Api) -> list[str]:
    percentiles = [_ms(api.total[name]) for name in ("p50", "p90", "p99", "p99_9", "max")]
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
    return _table(_HEAD, rows)


def _clients(one: Findings) -> str:
    head = ("client", "principal", "listener", "requests", "parked", "timeouts", "failed")
    rows = (
        [
            row["client_id"] or _NO_NAME,
            row["principal"] or "-",
            row["listener"] or "-",
            f"{row['requests']:,}",
            f"{row['parked'] / row['requests']:.1%}",
            *(f"{row[name]:,}" for name in ("timeouts", "failed")),
            *(_ms(row[name]) for name in ("mean", "max")),
        ]
        for row in one.clients
    )
    return _table((*head, "mean", "max"), rows)


def _top(one: Findings) -> str:
    items = "".join(
        f"<li><b>{_ms(wait['parked_us'])} ms</b> {escape(wait['explanation'] or '')}</li>"
        for wait in one.top
    )
    return f'<ol class="waits">{items}</ol>'


def _deliveries(one: Findings) -> str:
    head = ("partition", "consumer", "batches", "mean", "worst p99 of a window", "max")
    rows = (
        [
            f"{row['topic']}-{row['partition']}",
            row["consumer"] or _NO_NAME,
            f"{row['count']:,}",
            *(_ms(row[name]) for name in ("mean", "worst_p99", "max")),
        ]
        for row in one.deliveries
    )
    return _table(head, rows)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"
    return f'<div class="wide">{table}</div>'


_pictures = count()


def _picture(svg: str) -> str:
    # Ids are unique within a plot only; in a page they must not collide.
    prefix = f"f{next(_pictures)}-"
    svg = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\g<1>{prefix}", svg)
    return f"<figure>{svg}</figure>"


def _ms(microseconds: float) -> str:
    ms = microseconds / 1000
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}"
