"""One request as a waterfall: its phases and waits, one below the other, on an axis of time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from pipeline.report.markup import element, text
from pipeline.report.words import NO_NAME, cause, span

Wait = dict[str, Any]  # a row of `top_waits`


class Step(NamedTuple):
    """A part of the time of a request; ``colour`` is a class of the style sheet."""

    name: str
    us: int
    colour: str
    why: str = ""


def waterfall(wait: Wait) -> str:
    """A request that can be opened: its steps, and the sentences that explain it."""
    identity = f"{wait['api']} of {wait.get('client_id') or NO_NAME}"
    arrived = wait.get("arrived")
    when = arrived.strftime("%H:%M:%S.%f")[:-3] if isinstance(arrived, datetime) else ""
    summary = element(
        "summary",
        text("b", span(wait["parked_us"])),
        text("span", identity),
        text("time", when),
    )
    sentences = text("p", wait.get("explanation") or "")
    return element("details", summary, _picture([*_steps(wait)]), sentences, class_="request")


def blamed(wait: Wait) -> tuple[str, str | None, str | None]:
    """The cause of the longest wait of a request: kind, name and detail."""
    waits = wait.get("waits") or []
    if not waits:
        return "other", wait.get("purgatory"), None
    longest = max(waits, key=lambda each: each["us"] or 0)["blamed"]
    return longest["kind"], longest["name"], longest["detail"]


def _steps(wait: Wait) -> Iterator[Step]:
    yield Step("in the queue of its connection", wait.get("queued_us") or 0, "queued")
    yield Step("in the handler", wait.get("local_us") or 0, "local")
    for each in wait.get("waits") or []:
        yield _parked(each)
    yield Step("sending the response", wait.get("send_us") or 0, "send")


def _parked(wait: Wait) -> Step:
    by = wait["blamed"]
    where = f"parked: {(wait['kind'] or wait['purgatory'] or 'unknown').replace('_', ' ')}"
    why = "nothing to return" if by["kind"] == "idle" else cause(**by)
    return Step(where, wait["us"] or 0, f"kind-{by['kind']}", why)


def _picture(steps: list[Step]) -> str:
    total = max(1, sum(step.us for step in steps))
    begin, rows = 0, []
    for step in filter(lambda step: step.us, steps):
        style = f"margin-left:{begin / total:.2%};width:{step.us / total:.2%}"
        bar = element("i", class_=f"bar {step.colour}", style=style)
        named = f"{step.name}, {step.why}" if step.why else step.name
        rows.append(
            element(
                "li",
                text("span", named),
                text("span", span(step.us), class_="number"),
                element("div", bar, class_="track"),
            )
        )
        begin += step.us
    return element("ol", *rows, class_="waterfall")
