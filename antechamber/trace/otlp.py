"""Sends the spans of requests to a collector, by OTLP over HTTP.

The exporter is that of OpenTelemetry, with its environment variables for headers, certificates and
compression (``OTEL_EXPORTER_OTLP_*``).
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SpanExportResult

from antechamber.trace.otel_spans import otel_spans
from antechamber.trace.spans import Record
from antechamber.usage_error import CommandFailed

SPANS_A_REQUEST = 2000
TIMEOUT_S = 10
_PATH = "/v1/traces"


class Collector:
    """The collector at *url*; without a path the path is that of traces, ``/v1/traces``."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{url} is not an address such as http://127.0.0.1:4318")
        self.url = url if parts.path.strip("/") else f"{url.rstrip('/')}{_PATH}"
        # The exporter logs each attempt; the result is reported once.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        self._exporter = OTLPSpanExporter(self.url, timeout=TIMEOUT_S)

    def reach(self) -> None:
        """Raise `CommandFailed` unless the collector accepts connections.

        The exporter tries again for seconds, and does not report the cause.
        """
        parts = urlsplit(self.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            socket.create_connection((parts.hostname or "", port), TIMEOUT_S).close()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            remedy = "start one, or give --otlp URL of another"
            raise CommandFailed(f"no collector at {self.url}: {reason}; {remedy}") from None

    def send(self, records: Sequence[Record], before: Sequence[Record] = ()) -> int:
        """Send the requests that have ended, and return the number of spans.

        *before* are requests that were sent before and can be linked. Raises `CommandFailed` if the
        collector does not accept the spans.
        """
        made = otel_spans(records, before)
        for start in range(0, len(made), SPANS_A_REQUEST):
            some = made[start : start + SPANS_A_REQUEST]
            if self._exporter.export(some) is not SpanExportResult.SUCCESS:
                self.reach()
                raise CommandFailed(f"the collector at {self.url} did not accept the spans")
        return len(made)

    def stop(self) -> None:
        """Give up what is being sent, also between two attempts; may be called in any thread."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call]  # it has no annotations
