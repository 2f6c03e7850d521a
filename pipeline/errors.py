"""Error messages of one line, made also from Spark's long traces."""

from __future__ import annotations

import re

_CAUSE = re.compile(
    r"^(?:Caused by: |: )?(?:[\w$]+\.)+([A-Z]\w*(?:Exception|Error)): (.*)$", re.MULTILINE
)
_NO_TOPIC = "UnknownTopicOrPartitionException"
_TEXT_MAX = 300  # characters
_NO_SPACE = ("No space left on device", "Disk quota exceeded")


class PipelineError(Exception):
    """The analysis cannot continue; the message names the cause and the remedy."""


def in_one_line(error: BaseException, sources: str, out: str) -> str:
    """Return the innermost cause of a failure of Spark in one line.

    *sources* are the inputs, *out* is the output folder.
    """
    trace = str(error)
    if any(sign in trace for sign in _NO_SPACE):
        return f"--out {out}: no space left on device; tables written before are unchanged"
    if _NO_TOPIC in trace:
        return f"{sources}: no such topic"
    found = _CAUSE.findall(trace)
    if found:
        kind, text = found[-1]
        return f"Spark failed: {kind}: {_shortened(text)}; --verbose shows Spark's own log"
    first = trace.strip().splitlines() or [type(error).__name__]
    return f"Spark failed: {_shortened(first[0])}; --verbose shows Spark's own log"


def _shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _TEXT_MAX else text[: _TEXT_MAX - 3] + "..."
