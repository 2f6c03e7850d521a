"""A readable list of fault rules.

id  state   fired  matched  rule
───────────────────────────────────────────────────────────────
3  spent       1        4  lost-acks: close after its effect
Produce of topic orders, from match 3 on, once
last: Produce #12 of producer-1 to node 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from antechamber.sentences import durations, phrases

Rule = Mapping[str, Any]

_QUIET = "dim"
# What an action affects, if not requests.
_AFFECTED = {
    "refuse_connections": "connections",
    "hold_high_watermark": "partitions",
    "hold_isr": "partitions",
}
_STYLES = {"active": "bold green"}


def fault_table(rules: Sequence[Rule]) -> Table | Text:
    """The rules, or a line that says that there are none."""
    if not rules:
        return Text("no fault rule is set", _QUIET)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    for name in ("id", "state", "fired", "matched"):
        table.add_column(name, justify="left" if name == "state" else "right", no_wrap=True)
    table.add_column("rule")
    for rule in rules:
        table.add_row(
            str(rule["id"]),
            Text(rule["state"], _STYLES.get(rule["state"], _QUIET)),
            str(rule["fired"]),
            str(rule["matched"]),
            Text("\n").join([Text(line) for line in lines(rule)]),
        )
    return table


def lines(rule: Rule) -> Iterator[str]:
    """What the rule does, what it matches, and the last request on which it fired."""
    name = f"{rule['name']}: " if rule["name"] else ""
    yield f"{name}{action(rule['action'])}"
    yield f"{_matched(rule)}{_limits(rule)}"
    last = rule["last_fired"]
    if last is not None and last["api"] is not None:
        client = last["client_id"] or "a client without an id"
        yield f"last: {last['api']} #{last['correlation_id']} of {client}, to node {last['node']}"


def action(given: Rule) -> str:
    """The action in words: ``error REQUEST_TIMED_OUT after the effect``."""
    if given["type"] == "node":
        ms = given.get("ms")
        return f"{given['do']} node {given['node']}" + (
            "" if ms is None else f" for {durations.format_us(ms * 1000)}"
        )
    words = [str(given["type"]).replace("_", " ")]
    if "error" in given:
        words.append(given["error"])
    if "ms" in given:
        words.append(durations.format_us(given["ms"] * 1000))
    if "at" in given:
        words.append(f"at offset {given['at']}")
    if "bytes_per_second" in given:
        words.append(f"{given['bytes_per_second']:,} bytes per second")
    if "percent" in given:
        words.append(f"{given['percent']:g} percent")
    if given.get("when") == "after":
        words.append("after the effect")
    if "of" in given:
        words.append(f"of the {given['of']}")
    return " ".join(words)


def _matched(rule: Rule) -> str:
    if (link := rule.get("link")) is not None:
        return f"from {_end(link.get('from'))} to {_end(link.get('to'))}"
    match = dict(rule["match"])
    sender, api = match.pop("from", "client"), match.pop("api", None)
    version = match.pop("version", None)
    affected = _AFFECTED.get(rule["action"]["type"], "requests")
    words = api or f"all {affected}"
    if version is not None:
        words += f" v{version}"
    if "partition" in match and "topic" in match:
        match["partition"] = f"{match['partition']} of topic {match.pop('topic')}"
    if affected == "partitions" and "partition" in match:
        return f"partition {match['partition']}"
    named = [f"{name.replace('_', ' ')} {value}" for name, value in match.items()]
    if sender in ("broker", "any"):
        named.append("brokers" if sender == "broker" else "clients and brokers")
    return words + (f" of {phrases.listed(named)}" if named else "")


def _end(node: object) -> str:
    if node is None:
        return "any node"
    return "the controller" if node == "controller" else f"node {node}"


def _limits(rule: Rule) -> str:
    words = [] if rule["nth"] == 1 else [f"from match {rule['nth']} on"]
    if rule["times"] is not None:
        words.append(phrases.times(rule["times"]))
    if rule["per"] == "client":
        words.append("for each client")
    if rule["for_ms"] is not None:
        words.append(f"for {durations.format_us(rule['for_ms'] * 1000)}")
    return "".join(f", {each}" for each in words)
