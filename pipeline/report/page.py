"""The page: one HTML file without external references.

Its policy allows no request, and no script but that of the page, by its hash: recorded text that
were not escaped could neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path

from pipeline.report.findings import Findings
from pipeline.report.markup import element, text
from pipeline.report.sections import Section, compared, sections
from pipeline.report.summary_line import period, summary_line, tiles

_STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
_SCRIPT = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
_HASH = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)


def page(sets: Sequence[Findings]) -> str:
    """Return the page of one set of records, or of two for comparison."""
    title = " against ".join(each.name for each in sets)
    found = compared(sets) if len(sets) > 1 else sections(sets[0])
    overviews = "".join(_overview(each, named=len(sets) > 1) for each in sets)
    body = "".join(_section(each) for each in found)
    source = title if len(sets) > 1 else " · ".join(filter(None, (title, period(sets[0]))))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}: waits of requests</title>'
        f"<style>{_STYLE}</style></head><body>{_header(source, found)}"
        f"<main>{overviews}{body}</main><script>{_SCRIPT}</script></body></html>"
    )


def _header(source: str, found: Sequence[Section]) -> str:
    links = (text("a", each.head, href=f"#{each.anchor}") for each in found)
    return element(
        "header",
        element("button", type="button", id="scheme", hidden="hidden"),
        text("p", "antechamber analyze", class_="soft"),
        text("h1", "Waits of requests"),
        text("p", source, class_="source"),
        element("nav", *links, aria_label="Sections"),
    )


def _overview(one: Findings, *, named: bool) -> str:
    name = text("p", one.name, class_="name") + text("p", period(one), class_="source")
    return (name if named else "") + tiles(one) + text("p", summary_line(one), class_="summary")


def _section(each: Section) -> str:
    return element(
        "section",
        text("h2", each.head),
        text("p", each.lead, class_="lead"),
        each.content,
        id=each.anchor,
    )
