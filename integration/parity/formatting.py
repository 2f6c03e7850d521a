"""Formats responses as comparable lines, without values that differ from run to run.

Names, ids and addresses are replaced by numbered placeholders in the order of their appearance;
fields with default values are left out; records are decoded.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from integration.parity.client import Pending
from protocol.errors import ErrorCode
from protocol.messages.produce import ProduceResponse
from protocol.record_batch.batch import batches, records
from protocol.record_batch.record import Record

# Timestamps and addresses differ from run to run.
_LEFT_OUT = frozenset(
    {
        "throttle_time_ms",
        "node_endpoints",
        "host",
        "port",
        "client_host",
    }
)
_SINCE_MS = 1_750_000_000_000  # later times are of the run, earlier ones of a scenario
# The lookbehind makes a search in a long name linear.
_MEMBER_ID = re.compile(r"(?<![\w.-])[\w.-]+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME_IN_TEXT = re.compile(r"-?\b\d{13,}\b")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Formatter:
    """Formats the observations of one scenario on one system."""

    def __init__(self) -> None:
        self._names: dict[object, str] = {}
        self._counts: dict[str, int] = {}

    def name(self, real: object, kind: str) -> str:
        """Return the placeholder of a value; new values get the next number."""
        if real not in self._names:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._names[real] = f"{kind}{self._counts[kind]}"
        return self._names[real]

    def line(self, seen: object) -> str:
        """Return one line; the parts of a tuple are joined."""
        if isinstance(seen, tuple):
            return ": ".join(self.text(part) for part in seen)
        return self.text(seen)

    def text(self, value: Any) -> str:
        """Return a value as text."""
        if isinstance(value, Pending):
            response = value.response()
            return f"{value.wait.how_it_ended()}, {self.text(response)}"
        if dataclasses.is_dataclass(value):
            return self._struct(value)
        if isinstance(value, list | tuple):
            return f"[{'; '.join(map(self.text, value))}]"
        if isinstance(value, dict):
            parts = (f"{self.text(key)}={self.text(part)}" for key, part in value.items())
            return f"{{{', '.join(parts)}}}"
        if isinstance(value, bytes | bytearray | memoryview):
            return repr(bytes(value))[1:]
        if isinstance(value, UUID):
            return self.name(value, "uuid") if value.int else "none"
        if isinstance(value, ErrorCode):
            return value.name
        return self._plain(str(value))

    def _struct(self, struct: Any) -> str:
        reported = []
        for field in dataclasses.fields(struct):
            value = getattr(struct, field.name)
            if field.name in _LEFT_OUT or value == _default(field):
                continue
            reported.append(f"{field.name}={self._field(field.name, value)}")
        return f"({' '.join(reported)})"

    def _field(self, name: str, value: Any) -> str:
        special = _SPECIAL.get(name)
        return self.text(value) if special is None else special(self, value)

    def _plain(self, words: str) -> str:
        """Replace names in text, longest first, because one may be the prefix of another."""
        for real in sorted((r for r in self._names if isinstance(r, str)), key=len, reverse=True):
            words = words.replace(real, self._names[real])
        words = _MEMBER_ID.sub(lambda found: self.name(found.group(), "member"), words)
        return _UUID.sub(lambda found: self.name(found.group(), "uuid"), words)

    def number(self, kind: str, value: int) -> str:
        """Return the placeholder of a number, except of 0 and -1."""
        return str(value) if value in (0, -1) else self.name((kind, value), kind)

    def time(self, value: int) -> str:
        """Return a time of a scenario, or ``now`` for a time of the run."""
        return "now" if value > _SINCE_MS else str(value)

    def message(self, words: str | None) -> str:
        """Return a message about records, without its times."""
        return "null" if words is None else self._plain(_TIME_IN_TEXT.sub("TIME", words))

    def records(self, data: Any) -> str:
        """Format complete batches record by record, and the size of a trailing partial one."""
        if data is None:
            return "null"
        reported, end = [], 0
        for position, header in batches(data):
            end = position + header.size
            inside = [
                f"{each.offset} {_marker(each) if header.is_control else self._value(each.value)}"
                for each in records(data, position)
            ]
            marks = [f"codec {header.codec}"] if header.codec else []
            marks += [f"transactional, epoch {header.producer_epoch}"] * header.is_transactional
            marks += (
                [f"time {self.time(header.max_timestamp)}"] if header.is_log_append_time else []
            )
            reported.append(", ".join(marks + inside))
        torn = f" and {len(data) - end} bytes" if len(data) > end else ""
        return f"[{'; '.join(reported)}]{torn}"

    def _value(self, value: bytes | None) -> str:
        if value is None:
            return "null"
        return value.decode("latin-1") if len(value) < 20 else f"{len(value)} bytes"


def by_partition(response: Any) -> Any:
    """Return the response with partitions of each topic sorted, where Kafka uses hash tables."""
    if isinstance(response, ProduceResponse):
        for produced in response.responses:
            produced.partition_responses.sort(key=lambda each: each.index)
        return response
    for topic in response.topics:
        topic.partitions.sort(key=lambda each: each.partition_index)
    return response


def _marker(record: Record) -> str:
    """The kind of a control record, by its key."""
    kinds = {b"\0\0\0\0": "abort marker", b"\0\0\0\1": "commit marker"}
    return kinds.get(record.key or b"", "unknown control record")


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _error(_: Formatter, code: int) -> str:
    return ErrorCode(code).name


_SPECIAL: dict[str, Callable[[Formatter, Any], str]] = {
    "error_code": _error,
    "topic_config_error_code": _error,
    "partition_error_code": _error,
    "records": lambda formatter, value: formatter.records(value),
    "error_message": Formatter.message,
    "batch_index_error_message": Formatter.message,
    "session_id": lambda formatter, value: formatter.number("session", value),
    "producer_id": lambda formatter, value: formatter.number("producer", value),
    "cluster_id": lambda formatter, value: formatter.name(value, "cluster") if value else "none",
    "mechanisms": lambda formatter, value: formatter.text(sorted(value)),  # Kafka's have any order
    "isr_nodes": lambda formatter, value: formatter.text(sorted(value)),
    "timestamp": Formatter.time,
    "log_append_time_ms": Formatter.time,
    "last_timestamp": Formatter.time,
    "transaction_start_time_ms": Formatter.time,
}
