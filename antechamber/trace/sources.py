"""The wait records of a trace: those of a running broker, or those in recorded files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from antechamber.admin_client import REQUESTS_MAX, AdminClient, AdminError
from antechamber.trace.spans import Record, has_ended

_NEEDED = ("api", "client_id", "correlation_id", "node", "connection", "arrived_us", "total_us")


class InvalidRecords(ValueError):  # noqa: N818 - the name states the problem
    """A file cannot be read, or a line of it is not a wait record."""


def broker_records(
    client: AdminClient, since_us: int = 0, *, followers: bool = True
) -> list[dict[str, Any]]:
    """The latest completed requests of a broker and those that wait.

    With *followers* also the fetches by which nodes replicate. Requests that had ended before
    *since_us* by the broker's clock are left out. A broker without ``--record`` has only the
    requests that wait.
    """
    wanted = {"followers": 1 if followers else None, "limit": REQUESTS_MAX}
    parked = client.requests(parked=1, **wanted)
    try:
        completed = client.requests(**wanted)
    except AdminError as error:
        if error.status != HTTPStatus.NOT_IMPLEMENTED:
            raise
        completed = []
    ended = [each for each in completed if each["arrived_us"] + each["total_us"] >= since_us]
    return [*parked, *ended]


def file_records(paths: Iterable[str], on_cut: Callable[[str], object]) -> Iterator[Record]:
    """The records of files with a JSON object a line; raises `InvalidRecords`.

    The last line of a file is cut off if the broker was killed while it wrote the line. It has no
    record, and *on_cut* is called with its place.
    """
    for path in paths:
        try:
            *lines, last = Path(path).read_bytes().split(b"\n")
        except OSError as error:
            raise InvalidRecords(f"cannot read {path}: {error.strerror}") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _record(line, f"{path}:{number}")
        if last.strip():
            where = f"{path}:{len(lines) + 1}"
            try:
                record = _record(last, where)
            except InvalidRecords:
                on_cut(where)
            else:
                yield record


def _record(line: bytes, where: str) -> Record:
    try:
        record = json.loads(line)
    except ValueError:
        raise InvalidRecords(f"{where} is not a JSON object") from None
    if not isinstance(record, dict) or not has_ended(record) or not record.keys() >= {*_NEEDED}:
        raise InvalidRecords(f"{where} is not a wait record")
    return record
