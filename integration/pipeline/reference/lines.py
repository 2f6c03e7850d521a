"""`malformed`: which lines are wait records, and why the others are not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from integration.pipeline.reference.record import PHASES, Record, Row

NO_OBJECT = "not a JSON object with these types"
OBJECTS = ("waited_for", "completed_by", "stalled_by", "throttle", "muted_by", "fault")
LISTS = ("partitions", "earlier_waits")
INTEGERS = {"schema": 31, "node": 31, "connection": 63, "correlation_id": 31, "version": 31}
INTEGERS |= {"error": 31, "checks": 31, "timeout_ms": 63, "arrived_us": 63}
INTEGERS |= {f"{phase}_us": 63 for phase in PHASES}
REQUIRED = ("api", "arrived_us", *(f"{phase}_us" for phase in PHASES))


def split(lines: Iterable[str]) -> tuple[list[Record], list[Row]]:
    """The records, and the rows of the table."""
    records, malformed = [], []
    for line in lines:
        reason = defect(line)
        if reason is None:
            records.append(json.loads(line))
        else:
            malformed.append({"defect": reason, "raw": line})
    return records, malformed


def defect(line: str) -> str | None:
    """Why a line is not a record; None if it is one."""
    try:
        value = json.loads(line)
    except ValueError:
        return NO_OBJECT
    if not isinstance(value, dict) or not _has_types(value):
        return NO_OBJECT
    schema = value.get("schema")
    if schema is None:
        return "no schema number"
    if schema != 1:
        return f"schema {schema}, not 1"
    for name in REQUIRED:
        if value.get(name) is None:
            return f"no {name}"
        if name != "api" and value[name] < 0:
            return f"{name} is negative"
    return None


def _has_types(value: dict[str, Any]) -> bool:
    return (
        all(isinstance(value.get(name), dict | None) for name in OBJECTS)
        and all(isinstance(value.get(name), list | None) for name in LISTS)
        and all(_is_integer(value.get(name), bits) for name, bits in INTEGERS.items())
    )


def _is_integer(value: object, bits: int) -> bool:
    return value is None or (isinstance(value, int) and abs(value) < 1 << bits)
