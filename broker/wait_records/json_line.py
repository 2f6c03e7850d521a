"""A wait record as one line of JSON.

The bytes are those of `json` for `WaitRecord.to_dict`, in a fraction of the time: recording a
request must cost little compared with handling it. The parts for clients, APIs and partitions are
cached, and the part for requests that did not wait is constant.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from broker.common.topic_partition import TopicPartition
from broker.security.principal import Principal
from broker.wait_records.causes import ARRIVED
from broker.wait_records.record import SCHEMA, PartitionResult, WaitRecord
from protocol.api_names import api_name
from protocol.printable import printable_json

_CACHED = 4096  # entries of each cache
_LINE = (
    b'%b%d%b%d,"queued_us":%d,"local_us":%d,"parked_us":%d,"send_us":%d,"total_us":%d,'
    b'%b,"partitions":[%b],"error":%d%b%b%b}'
)
_PARTITION = b'%b%d,"records":%d,"bytes":%d,"error":%d,"high_watermark":%d,"log_end_offset":%d}'
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def json_line(record: WaitRecord) -> bytes:
    """The record without the end of the line."""
    header, session = record.header, record.session
    queued, local, parked, send = record.phases_us()
    return _LINE % (
        _client(
            record.node, record.connection, header.client_id, session.principal, session.listener
        ),
        header.correlation_id,
        _api(header.api_key, header.api_version),
        record.arrived_us,
        queued,
        local,
        parked,
        send,
        queued + local + parked + send,
        _wait(record) if _has_waited(record) else _NO_WAIT,
        b",".join(map(_partition, record.results)),
        record.error,
        _list(b"traces", record.traces),
        _list(b"unknown_topics", record.unknown_topics),
        _list(b"preferred_read_replicas", record.preferred_read_replicas),
    )


@lru_cache(_CACHED)
def _client(
    node: int, connection: int, client_id: str | None, principal: Principal, listener: str
) -> bytes:
    """Everything before the correlation id."""
    known = {
        "schema": SCHEMA,
        "node": node,
        "connection": connection,
        "client_id": client_id,
        "principal": str(principal),
        "listener": listener,
    }
    return _members(known) + b',"correlation_id":'


@lru_cache(_CACHED)
def _api(api_key: int, api_version: int) -> bytes:
    """Everything between the correlation id and the time of arrival."""
    known = {"api": api_name(api_key), "version": api_version}
    return b"," + _members(known)[1:] + b',"arrived_us":'


def _has_waited(record: WaitRecord) -> bool:
    """Whether any field between the phases and the partitions differs from `_NO_WAIT`."""
    return (
        record.purgatory is not None
        or record.stalled_by is not None
        or record.throttle is not None
        or record.muted_by is not None
        or record.fault is not None
        or record.cause is not ARRIVED
    )


def _wait(record: WaitRecord) -> bytes:
    stall, throttle, muted_by = record.stalled_by, record.throttle, record.muted_by
    return _members(
        {
            "purgatory": record.purgatory,
            "waited_for": record.waited_for,
            "timeout_ms": record.timeout_ms,
            "checks": record.checks,
            "completed_by": record.cause.to_dict(),
            **record.checked_facts(),
            "earlier_waits": record.earlier_waits,
            "stalled_by": None if stall is None else stall.facts(),
            "throttle": None if throttle is None else throttle.facts(),
            "muted_by": None if muted_by is None else muted_by.facts(),
            "fault": record.fault,
        }
    )[1:]


def _list(name: bytes, values: Sequence[str] | Sequence[int]) -> bytes:
    """A member of the object; nothing if there are no values."""
    return b',"%b":%b' % (name, _encode([*values]).encode()) if values else b""


def _partition(result: PartitionResult) -> bytes:
    key, offset, (records, size), error, high_watermark, log_end_offset = result
    name = _topic_partition(key)
    return _PARTITION % (name, offset, records, size, error, high_watermark, log_end_offset)


@lru_cache(_CACHED)
def _topic_partition(key: TopicPartition) -> bytes:
    return _members(key._asdict()) + b',"offset":'


def _members(known: Mapping[str, object]) -> bytes:
    """A JSON object without its closing brace."""
    return printable_json(_encode(known))[:-1].encode()


_NO_WAIT = _members(
    {
        "purgatory": None,
        "waited_for": None,
        "timeout_ms": None,
        "checks": 0,
        "completed_by": ARRIVED.to_dict(),
        "earlier_waits": [],
        "stalled_by": None,
        "throttle": None,
        "muted_by": None,
        "fault": None,
    }
)[1:]
