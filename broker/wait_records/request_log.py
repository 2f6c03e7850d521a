"""A wait record as a line of Kafka's request log (KIP-673, `RequestConvertToJson`).

    [2026-11-21 09:00:00,338] DEBUG Completed request:{"requestHeader":...} (kafka.request.logger)

The line has the fields that a record has; its time is in UTC. In place of addresses,
``connection`` has the number of the node and of the connection. docs/reference/request-log.md
describes the fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from protocol.api_names import api_key
from protocol.lazy_pattern import LazyPattern

Facts = dict[str, Any]

_WORD = LazyPattern(r"(?<!^)(?=[A-Z])")
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def request_log_line(line: bytes) -> bytes:
    """The line for a wait record, which is given as a line of JSON; both without their ends."""
    record: Facts = json.loads(line)
    ended_us = record["arrived_us"] + record["total_us"]
    moment = datetime.fromtimestamp(ended_us // 1_000_000, UTC)
    stamp = f"{moment:%Y-%m-%d %H:%M:%S},{ended_us // 1000 % 1000:03d}"
    completed = _encode(_completed(record))
    return f"[{stamp}] DEBUG Completed request:{completed} (kafka.request.logger)".encode()


def _completed(record: Facts) -> Facts:
    api = record["api"]
    request, response = _OF_API.get(api, _others)(record)
    throttle = record["throttle"]
    throttle_ms = 0 if throttle is None else throttle["ms"]
    return {
        "isForwarded": False,
        "requestHeader": {
            "requestApiKey": api_key(api),
            "requestApiVersion": record["version"],
            "correlationId": record["correlation_id"],
            "clientId": record["client_id"],
            "requestApiKeyName": _WORD.compiled.sub("_", api).upper(),
        },
        "request": request,
        "response": {"throttleTimeMs": throttle_ms, **response},
        "connection": f"node-{record['node']}:0-connection:{record['connection']}-0-0",
        "totalTimeMs": record["total_us"] / 1000,
        "requestQueueTimeMs": record["queued_us"] / 1000,
        "localTimeMs": record["local_us"] / 1000,
        "remoteTimeMs": record["parked_us"] / 1000,
        "throttleTimeMs": throttle_ms,
        "responseQueueTimeMs": 0.0,
        "sendTimeMs": record["send_us"] / 1000,
        "principal": record["principal"],
        "listener": record["listener"],
    }


def _produce(record: Facts) -> tuple[Facts, Facts]:
    request = {
        "timeoutMs": record["timeout_ms"],
        "topicData": _topics(
            record,
            ("name", "partitionData"),
            lambda each: {"index": each["partition"], "recordsSizeInBytes": each["bytes"]},
        ),
    }
    results = _topics(
        record,
        ("name", "partitionResponses"),
        lambda each: {
            "index": each["partition"],
            "errorCode": each["error"],
            "baseOffset": each["offset"],
        },
    )
    return request, {"responses": results}


def _fetch(record: Facts) -> tuple[Facts, Facts]:
    waited_for = record["waited_for"] or {}
    request = {
        "maxWaitMs": record["timeout_ms"],
        "minBytes": waited_for.get("need") if waited_for.get("kind") == "min_bytes" else None,
        "topics": _topics(
            record,
            ("topic", "partitions"),
            lambda each: {"partition": each["partition"], "fetchOffset": each["offset"]},
        ),
    }
    results = _topics(
        record,
        ("topic", "partitions"),
        lambda each: {
            "partitionIndex": each["partition"],
            "errorCode": each["error"],
            "highWatermark": each["high_watermark"],
            "recordsSizeInBytes": each["bytes"],
        },
    )
    return request, {"errorCode": record["error"], "responses": results}


def _others(record: Facts) -> tuple[Facts, Facts]:
    return {}, {"errorCode": record["error"]}


_OF_API = {"Produce": _produce, "Fetch": _fetch}


def _topics(record: Facts, names: tuple[str, str], of: Callable[[Facts], Facts]) -> list[Facts]:
    """The partitions of each topic in *record*, as *of* returns them; *names* are the fields."""
    name, partitions = names
    return [
        {name: topic, partitions: [of(each) for each in places]}
        for topic, places in groupby(record["partitions"], key=lambda each: each["topic"])
    ]
