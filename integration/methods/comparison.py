"""Compares the outcomes of a call on our broker and on a real Kafka."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from integration.methods.known import Known, known

_OF_THE_RUN = frozenset({"cluster_id", "throttle_time_ms"})
_TIME = re.compile(r"\b1[789]\d{11}\b")  # milliseconds since the epoch
_UUID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_JAVA_ID = re.compile(r"\b((?:topicId|directoryId|memberId)=)[\w-]{22,}")
_RAISED = re.compile(r'"?raised"?: "(\w+)"')
_CODE = re.compile(r'"name": "(_?[A-Z][A-Z_]+)"')
_CONTEXT_LINES = 3
RETURNS = "returns"


@dataclass(frozen=True)
class Key:
    """Identifies a call: client, method and shape."""

    client: str
    method: str
    shape: str

    def __str__(self) -> str:
        return f"{self.client}.{self.method}/{self.shape}"


@dataclass(frozen=True)
class Played:
    """The outcome of one shape on one system, as lines; ``calls_it``: it used its method."""

    lines: Sequence[str]
    calls_it: bool

    @property
    def text(self) -> str:
        """The outcome as text."""
        return "\n".join(self.lines)

    @property
    def ending(self) -> str:
        """How the call ended: that it returned, or the errors it raised."""
        errors = _CODE.findall(self.text) if _RAISED.search(self.text) else []
        return ", ".join(dict.fromkeys(errors or _RAISED.findall(self.text))) or RETURNS


def normalized(
    outcome: Any, port: int, *, ignored: Collection[str] = (), unordered: bool = False
) -> list[str]:
    """Return an outcome as lines, a value each, without values that differ from run to run."""
    lines = list(_lines("", _kept(outcome, _OF_THE_RUN | set(ignored), unordered)))
    return [_without_the_run(line, port) for line in lines]


def _without_the_run(line: str, port: int) -> str:
    line = _TIME.sub("NOW", re.sub(rf"\b{port}\b", "PORT", line))
    return _JAVA_ID.sub(r"\1UUID", _UUID.sub("UUID", line))


def _lines(path: str, value: Any) -> Iterator[str]:
    """Return a line for each innermost dictionary or list, and for each other value."""
    parts = _parts(value)
    if not any(_parts(part) for _, part in parts):
        yield f"{path.strip()}: {json.dumps(value, sort_keys=True)}".removeprefix(": ")
        return
    for name, part in parts:
        yield from _lines(f"{path} {name}", part)


def _parts(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return sorted(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _kept(value: Any, ignored: Collection[str], unordered: bool) -> Any:
    if isinstance(value, dict):
        return {
            name: "IGNORED" if name in ignored else _kept(part, ignored, unordered)
            for name, part in value.items()
        }
    if not isinstance(value, list):
        return value
    parts = [_kept(part, ignored, unordered) for part in value]
    return sorted(parts, key=json.dumps) if unordered else parts


def fault(key: Key, ours: Played, theirs: Played | None) -> str | None:
    """Return the error in the outcomes of a call, or None."""
    expected = known(key.client, key.method, key.shape)
    reaches_it = ours if theirs is None else theirs
    if not reaches_it.calls_it and (theirs is not None or expected is None):
        return f"the shape does not call {key.method}: {reaches_it.text}"
    if expected is not None:
        return _fault_of_known(expected, ours, theirs)
    if theirs is None or ours.lines == theirs.lines:
        return None
    return difference(ours, theirs)


def _fault_of_known(expected: Known, ours: Played, theirs: Played | None) -> str | None:
    if theirs is not None and ours.lines == theirs.lines:
        return f"it no longer differs from Kafka: remove it from known.py ({expected.reason})"
    if expected.allows(ours.lines, None if theirs is None else theirs.lines):
        return None
    shown = ours.text if theirs is None else difference(ours, theirs)
    return f"not the listed outcome ({expected.reason}):\n{shown}"


def difference(ours: Played, theirs: Played) -> str:
    """Return both outcomes as a diff."""
    lines = unified_diff(
        theirs.lines, ours.lines, "Kafka", "antechamber", n=_CONTEXT_LINES, lineterm=""
    )
    return "\n".join(lines)
