"""The fault rule that the arguments of ``antechamber fault add`` describe."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from antechamber.sentences.durations import milliseconds
from antechamber.unknown_words import unknown_word
from antechamber.usage_error import UsageError

Rule = dict[str, Any]

# The options of `match`, and the metavar of each.
MATCH_OPTIONS: Mapping[str, tuple[str, str]] = {
    "api": ("NAME", "requests of this API"),
    "version": ("N", "requests of this version of the API"),
    "client": ("ID", "the client id; an asterisk at the end matches the rest of it"),
    "principal": ("TYPE:NAME", "the principal, such as User:ann"),
    "listener": ("NAME", "the listener of the connection"),
    "node": ("N", "requests to this node"),
    "topic": ("NAME", "requests that name this topic"),
    "partition": ("N", "requests that name this partition"),
    "group": ("ID", "requests that name this group"),
    "transactional_id": ("ID", "requests that name this transactional id"),
    "from": ("WHO", "client, broker or any: who sends the request (client)"),
}
LIMIT_OPTIONS: Mapping[str, tuple[str, str]] = {
    "nth": ("N", "the first match on which it fires (1)"),
    "times": ("N", "how often it fires at most (no limit)"),
    "per": ("WHAT", "rule or client: for what --nth and --times count (rule)"),
    "for": ("DURATION", "when it expires, such as 5s (never)"),
    "name": ("NAME", "a name for lists and wait records"),
}
_NODE_CHANGES = ("pause", "resume", "stop", "start")
_NUMBERS = frozenset({"version", "node", "partition", "nth", "times"})
_LOWEST = {"nth": 1, "times": 1}  # of the others 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``fault add``."""
    for name, (metavar, words) in {**MATCH_OPTIONS, **LIMIT_OPTIONS}.items():
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, dest=f"rule_{name}", metavar=metavar, help=words)
    parser.add_argument("--after", action="store_true", help="act after the effect of the request")
    parser.add_argument("--link", metavar="FROM:TO", help="act on a link: nodes, * or controller")
    parser.add_argument("--seed", metavar="N", help="selects what the action loss loses (0)")
    parser.add_argument("--rules", metavar="FILE", help="add the rules in a JSON file; - is stdin")


def given_options(given: argparse.Namespace) -> list[str]:
    """The options of a rule that are given."""
    names = [
        name
        for name in (*MATCH_OPTIONS, *LIMIT_OPTIONS)
        if getattr(given, f"rule_{name}") is not None
    ]
    names += [name for name in ("after", "link", "seed") if getattr(given, name)]
    return [f"--{name.replace('_', '-')}" for name in names]


def rule_of(given: argparse.Namespace, words: Sequence[str]) -> Rule:
    """The rule with the action *words*, such as ``error REQUEST_TIMED_OUT``."""
    rule: Rule = {"action": _action(words, given)}
    options = {name: getattr(given, f"rule_{name}") for name in (*MATCH_OPTIONS, *LIMIT_OPTIONS)}
    match = {
        name: _value(name, f"--{name}", options[name])
        for name in MATCH_OPTIONS
        if options[name] is not None
    }
    if given.link is not None:
        rule["link"] = _link(given.link)
    if match:
        rule["match"] = match
    for name in LIMIT_OPTIONS:
        if options[name] is not None:
            key = "for_ms" if name == "for" else name
            read = _duration if name == "for" else partial(_value, name)
            rule[key] = read(f"--{name}", options[name])
    return rule


def read_rules(path: str) -> Any:
    """The JSON in a file: a rule, a list of rules, or an object with ``rules``."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        return json.loads(text)
    except OSError as error:
        raise UsageError(f"--rules: cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"--rules: {path} is not JSON: {error}") from None


def _action(words: Sequence[str], given: argparse.Namespace) -> Rule:
    if not words:
        raise UsageError(f"add: give an action: {', '.join(_KINDS)}")
    kind, *values = words
    if kind == "node":
        return _node_action(values)
    if kind not in ACTIONS:
        raise UsageError(f"add: {unknown_word(kind, _KINDS)}")
    needed = ACTIONS[kind]
    if len(values) != (needed is not None):
        takes = "no value" if needed is None else f"one value, {needed[1]}"
        raise UsageError(f"add: the action {kind} takes {takes}")
    if kind in _ONLY_OF_LINKS and given.link is None:
        raise UsageError(f"add: the action {kind} needs --link FROM:TO, such as 1:2")
    action: Rule = {"type": kind}
    if needed is not None:
        field, _, read = needed
        action[field] = read(f"add {kind}", values[0])
    if given.after:
        action |= {"of": "response"} if kind == "delay" else {"when": "after"}
    if given.seed is not None:
        action["seed"] = _whole("--seed", given.seed)
    return action


def _node_action(values: Sequence[str]) -> Rule:
    if len(values) != 2 or values[0] not in _NODE_CHANGES:
        changes = ", ".join(_NODE_CHANGES)
        raise UsageError(f"add: the action node takes two values: one of {changes}, and a node")
    return {"type": "node", "do": values[0], "node": _whole("add node", values[1])}


def _link(text: str) -> Rule:
    start, colon, end = text.partition(":")
    if not (start and colon and end):
        raise UsageError(f"--link: {text!r} is not FROM:TO, such as 1:2, *:3 or 1:controller")
    link: Rule = {}
    for name, node in (("from", start), ("to", end)):
        if node != "*":
            link[name] = node if node == "controller" else _whole("--link", node)
    return link


def _value(name: str, option: str, text: str) -> str | int:
    return _whole(option, text, _LOWEST.get(name, 0)) if name in _NUMBERS else text


def _whole(what: str, text: str, low: int = 0) -> int:
    """The number of the option or action *what*; raises `UsageError`."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) >= low):
        raise UsageError(f"{what}: {text!r} is not a whole number from {low}")
    return int(text)


def _percent(what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{what}: {text!r} is not a number of percent") from None


def _duration(what: str, text: str) -> int:
    try:
        return milliseconds(text)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{what}: {error}") from None


def _text(_what: str, text: str) -> str:
    return text


# The field that the value of an action sets, what it is, and how it is read; None: no value.
ACTIONS: Mapping[str, tuple[str, str, Callable[[str, str], Any]] | None] = {
    "error": ("error", "a name such as NOT_LEADER_OR_FOLLOWER", _text),
    "close": None,
    "delay": ("ms", "a duration such as 300ms", _duration),
    "hang": None,
    "half_open": None,
    "slow": ("bytes_per_second", "a number of bytes per second", _whole),
    "throttle": ("ms", "a duration such as 1s", _duration),
    "corrupt": None,
    "stale_metadata": None,
    "refuse_connections": None,
    "hold_high_watermark": ("at", "an offset", _whole),
    "hold_isr": None,
    "loss": ("percent", "a number of percent", _percent),
    "cut": None,
}
_KINDS = (*ACTIONS, "node")
_ONLY_OF_LINKS = ("loss", "cut")
