"""Lines of request logs as different versions of Kafka write them, and the log of a real Kafka."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

STAMP = "[2026-11-21 09:00:00,338]"
WRITTEN_US = 1_795_251_600_338_000
TIMES = {
    "totalTimeMs": 12.75,
    "requestQueueTimeMs": 0.25,
    "localTimeMs": 1.5,
    "remoteTimeMs": 10.0,
    "throttleTimeMs": 0,
    "responseQueueTimeMs": 0.4,
    "sendTimeMs": 0.6,
}
PARKED_FETCH = {"maxWaitMs": 500, "minBytes": 1}
# Without a Kafka's own configuration of the tests: a layout as Kafka's default, and a file.
_LOG4J2 = """\
Configuration:
  Appenders:
    File:
      name: Requests
      fileName: "{log}"
      PatternLayout:
        pattern: "[%d{{yyyy-MM-dd HH:mm:ss,SSS}}{{UTC}}] %p %m (%c)%n"
  Loggers:
    Root:
      level: "OFF"
    Logger:
      name: kafka.request.logger
      level: DEBUG
      additivity: false
      AppenderRef:
        ref: Requests
"""


def line(
    api: str,
    request: Mapping[str, Any],
    response: Mapping[str, Any] | str,
    *,
    stamp: str = STAMP,
    header: Mapping[str, Any] | None = None,
    **fields: Any,
) -> str:
    """A line; *fields* override the times and add others."""
    completed = {
        "isForwarded": False,
        "requestHeader": {
            "requestApiKey": 1,
            "requestApiVersion": 12,
            "correlationId": 7,
            "clientId": "billing",
            "requestApiKeyName": api,
            **(header or {}),
        },
        "request": request,
        "response": response,
        "connection": "10.0.0.1:9092-10.0.0.9:51000-2",
        **TIMES,
        "securityProtocol": "SASL_SSL",
        "principal": "User:alice",
        "listener": "SASL_SSL",
        **fields,
    }
    text = json.dumps(completed, separators=(",", ":"))
    return f"{stamp} DEBUG Completed request:{text} (kafka.request.logger)"


def logging_options(folder: Path, log: Path) -> list[str]:
    """Options for the JVM of a Kafka that writes its request log to *log*."""
    settings = folder / "log4j2.yaml"
    settings.write_text(_LOG4J2.format(log=log))
    return [f"-Dlog4j2.configurationFile={settings}"]
