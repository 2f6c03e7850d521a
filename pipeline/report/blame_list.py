"""The causes of the waiting, the worst first; each can be opened for its APIs and examples."""

from __future__ import annotations

from pipeline.computation.roles import FOLLOWER
from pipeline.report.causes import Cause, Causes
from pipeline.report.markup import element, table, text
from pipeline.report.waterfall import Wait, blamed, waterfall
from pipeline.report.words import cause, more, span

CAUSES_SHOWN = 15
QUEUES_SHOWN = 4
EXAMPLES = 3
_QUEUES = (
    "A request also waits while an earlier one of its connection is handled or parked. This time is"
    " a consequence of the waits above, and not in their sum."
)


def blame_list(causes: Causes, top: list[Wait]) -> str:
    """A row for each cause; queues and idle waits, which are not in the sum, are below."""
    queues = [each for each in causes.found if each.kind == "queue"]
    others = [each for each in causes.found if each.kind != "queue"]
    parts = [_rows(others, CAUSES_SHOWN, causes.waited_us, top)]
    if queues:
        parts += [text("h3", "Queues behind earlier requests"), text("p", _QUEUES, class_="soft")]
        parts.append(_rows(queues, QUEUES_SHOWN, causes.queued_us, top))
    return "".join(parts) + _idle(causes)


def _rows(found: list[Cause], limit: int, total: int, top: list[Wait]) -> str:
    shown = found[:limit]
    longest = max((each.waited_us for each in shown), default=1)
    rows = [_row(each, total, longest, _examples(each, top)) for each in shown]
    rest = found[limit:]
    left = [text("p", _rest(rest), class_="soft")] if rest else []
    head = element(
        "div",
        *(text("span", name) for name in ("cause", "share", "waited", "waits", "longest")),
        class_="causes-head",
        aria_hidden="true",
    )
    return element("div", head, *rows, class_="causes") + "".join(left)


def _row(each: Cause, total: int, longest: int, examples: list[Wait]) -> str:
    name = cause(each.kind, each.name, each.detail)
    bar = element(
        "i", class_=f"bar kind-{each.kind}", style=f"width:{each.waited_us / max(1, longest):.2%}"
    )
    summary = element(
        "summary",
        text("b", name),
        element("span", bar, text("em", f"{each.waited_us / max(1, total):.1%}"), class_="share"),
        text("span", span(each.waited_us), class_="number", data_label="waited"),
        text("span", f"{each.waits:,}", class_="number", data_label="waits"),
        text("span", span(each.longest_us), class_="number", data_label="longest"),
    )
    return element("details", summary, _apis(each), *_shown(examples), class_="cause")


def _apis(each: Cause) -> str:
    busiest = sorted(each.apis.items(), key=lambda entry: -entry[1][1])
    rows = ([api, f"{waits:,}", span(us)] for api, (waits, us) in busiest)
    return table(("delayed API", "waits", "waited"), rows)


def _shown(examples: list[Wait]) -> list[str]:
    if not examples:
        return []
    return [text("p", "Its longest waits:", class_="soft"), *map(waterfall, examples)]


def _examples(each: Cause, top: list[Wait]) -> list[Wait]:
    wanted = (each.kind, each.name, each.detail)
    return [wait for wait in top if blamed(wait) == wanted][:EXAMPLES]


def _rest(rest: list[Cause]) -> str:
    waited = span(sum(each.waited_us for each in rest))
    return f"{more(len(rest), 'cause')} Together they add up to {waited}."


def _idle(causes: Causes) -> str:
    if not causes.idle:
        return ""
    parts = []
    for role, each in sorted(causes.idle.items()):
        who = "followers" if role == FOLLOWER else "consumers"
        parts.append(f"{each.waits:,} fetches of {who} ({span(each.waited_us)})")
    words = (
        f"Not counted above: {' and '.join(parts)} waited for records that did not exist yet. "
        "These long polls delay no other request."
    )
    return text("p", words, class_="note")
