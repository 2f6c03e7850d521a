"""Spans sent to a collector over HTTP, decoded from their protocol buffers."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.proto", reason="the extra otlp is not installed")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from antechamber import Cluster
from antechamber.admin_client import AdminClient
from antechamber.cli import main
from integration.machine.deadlines import eventually
from integration.processes.antechamber import Antechamber
from integration.processes.server_process import ServerProcess, free_ports
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce


class Collector:
    """What a collector has received; ``status`` is its response."""

    def __init__(self) -> None:
        self.status = 200
        self.paths: list[str] = []
        self.spans: list[Any] = []
        self.resources: list[dict[str, str]] = []

    def receive(self, path: str, body: bytes) -> None:
        """Decode the body of a request."""
        self.paths.append(path)
        for each in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {item.key: item.value.string_value for item in each.resource.attributes}
            self.resources.append(named)
            for scope in each.scope_spans:
                self.spans += scope.spans

    def named(self, name: str) -> list[Any]:
        """The spans of that name."""
        return [each for each in self.spans if each.name == name]


@contextmanager
def collecting(collector: Collector) -> Iterator[str]:
    """Serve on loopback; the value is the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if collector.status == 200:
                collector.receive(self.path, body)
            self.send_response(collector.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def release(kafka: Cluster) -> None:
    """Let a fetch wait, and complete it by a produce."""
    with Connection(kafka.bootstrap) as consumer, Connection(kafka.bootstrap) as producer:
        consumer.send(fetch("orders", 0, 0, max_wait_ms=60_000))
        kafka.wait_parked("Fetch", "orders")
        producer.request(produce("orders", 0, batch([b"x"])))
        consumer.receive()


def check_release(collector: Collector) -> None:
    """Assert that the wait is linked to the produce."""
    [park], [server] = collector.named("park"), collector.named("Produce")
    [link] = park.links
    assert (link.trace_id, link.span_id) == (server.trace_id, server.span_id)
    [fetched] = [each for each in collector.named("Fetch") if each.span_id == park.parent_span_id]
    assert park.trace_id == fetched.trace_id != server.trace_id
    assert fetched.start_time_unix_nano <= park.start_time_unix_nano
    assert park.end_time_unix_nano <= fetched.end_time_unix_nano
    assert {"service.name": "antechamber", "service.instance.id": "node 1"} in collector.resources


def test_the_requests_of_a_broker(capsys: pytest.CaptureFixture[str]) -> None:
    """The path of traces is added to an address without a path."""
    collector = Collector()
    with Cluster(1, topics="orders", record=True) as kafka, collecting(collector) as url:
        release(kafka)
        assert main(["export", "--otlp", url, "--admin", kafka.admin]) == 0

    assert set(collector.paths) == {"/v1/traces"}
    check_release(collector)
    assert capsys.readouterr().out.endswith(f" at {url}/v1/traces\n")


def test_the_requests_of_a_file(tmp_path: Path) -> None:
    """The spans are those of the broker's own requests."""
    collector, file = Collector(), tmp_path / "waits.jsonl"
    with Cluster(1, topics="orders", records=file) as kafka:
        release(kafka)
    with collecting(collector) as url:
        assert main(["export", "--otlp", f"{url}/custom", str(file)]) == 0

    assert set(collector.paths) == {"/custom"}
    check_release(collector)
    requests = [json.loads(line)["api"] for line in file.read_text().splitlines()]
    assert sorted(requests) == sorted(each.name for each in collector.spans if each.kind == 2)


def test_requests_are_followed(tmp_path: Path) -> None:
    """Each request is sent once, after it has ended."""
    collector = Collector()
    with Cluster(1, topics="orders", record=True) as kafka, collecting(collector) as url:
        words = ["export", "--otlp", url, "--follow", "--admin", kafka.admin]
        with background(words, tmp_path):
            eventually(lambda: _released(kafka, collector), "the spans of a produce")

    requests = [each.span_id for each in collector.spans]
    assert len(requests) == len(set(requests))


TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_requests_are_sent_as_they_end(compression: str) -> None:
    """Those of a served broker, with links into the trace of the application."""
    collector = Collector()
    with collecting(collector) as url:
        with Cluster(1, topics="orders", otlp=url) as kafka, Connection(kafka.bootstrap) as reader:
            reader.send(fetch("orders", 0, 0, max_wait_ms=60_000))
            kafka.wait_parked("Fetch", "orders")
            _produce_traced(kafka.bootstrap, compression)
            reader.receive()
            eventually(lambda: collector.named("park"), "the span of the wait")
            [sink] = _sinks(AdminClient(kafka.admin))
        check_release(collector)

    assert (sink["sink"], sink["url"], sink["dropped"]) == ("otlp", f"{url}/v1/traces", 0)
    for name, links in (("Produce", 1), ("Fetch", 2)):
        [span] = collector.named(name)
        linked = [(each.trace_id.hex(), each.span_id.hex()) for each in span.links]
        assert (TRACE, SPAN) in linked
        assert len(linked) == links
    ids = [each.span_id for each in collector.spans]
    assert len(ids) == len(set(ids))


def test_each_check_of_a_wait_is_an_event() -> None:
    """Of a fetch whose minimum the second of two produces reaches."""
    collector, records = Collector(), batch([b"x"])
    with (
        collecting(collector) as url,
        Cluster(1, topics="orders", otlp=url) as kafka,
        Connection(kafka.bootstrap) as reader,
        Connection(kafka.bootstrap) as producer,
    ):
        reader.send(fetch("orders", 0, 0, max_wait_ms=60_000, min_bytes=2 * len(records)))
        kafka.wait_parked("Fetch", "orders")
        for _ in range(2):
            producer.request(produce("orders", 0, records))
        reader.receive()
        eventually(lambda: collector.named("park"), "the span of the wait")

    [park] = collector.named("park")
    assert [each.name for each in park.events] == ["checked", "completed"]
    begin, *times, end = (
        park.start_time_unix_nano,
        *(each.time_unix_nano for each in park.events),
        park.end_time_unix_nano,
    )
    assert sorted([begin, *times, end]) == [begin, *times, end]


def _produce_traced(bootstrap: str, compression: str) -> None:
    confluent_kafka = pytest.importorskip("confluent_kafka", reason="it is not installed")
    settings = {"bootstrap.servers": bootstrap, "compression.type": compression, "linger.ms": 0}
    producer = confluent_kafka.Producer(settings)
    headers = {"traceparent": f"00-{TRACE}-{SPAN}-01", "other": b"x"}
    producer.produce("orders", b"text " * 100, partition=0, headers=headers)
    assert producer.flush(60) == 0


def test_a_broker_serves_without_its_collector() -> None:
    """One line is logged, the requests are counted as dropped, and the stop does not wait."""
    [port] = free_ports(1)
    with Antechamber("--topic", "orders", "--otlp", f"http://127.0.0.1:{port}") as kafka:
        with Connection(kafka.bootstrap) as producer:
            dropping = partial(_dropped, producer, kafka.admin)
            eventually(dropping, "two refused exports", within=60)
        assert kafka.process.stop() == 0
        log = kafka.process.stderr()

    # A busy machine can add a line about a step that took long.
    [line] = [each for each in log.splitlines() if "--otlp" in each]
    assert line.endswith(
        f"--otlp: the collector at http://127.0.0.1:{port}/v1/traces does not accept spans, they"
        " are dropped until it does"
    )


def _dropped(producer: Connection, admin: AdminClient) -> bool:
    """Whether more records were dropped than those of the first export."""
    producer.request(produce("orders", 0, batch([b"x"])))
    return int(_sinks(admin)[0]["dropped"]) > 10


def _sinks(admin: AdminClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = admin.call("GET", "/v1/statistics")["recording"]["outbox"][
        "sinks"
    ]
    return found


def _released(kafka: Cluster, collector: Collector) -> bool:
    with Connection(kafka.bootstrap) as producer:
        producer.request(produce("orders", 0, batch([b"x"])))
    return bool(collector.named("Produce"))


@contextmanager
def background(words: list[str], outputs: Path) -> Iterator[None]:
    """Run the command in a process, until the block ends."""
    process = ServerProcess([sys.executable, "-m", "antechamber", *words], outputs)
    try:
        yield
    finally:
        process.stop()


@pytest.mark.parametrize("status", [400, 404])
def test_a_collector_that_refuses(
    status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1, and the error is one line."""
    collector, file = Collector(), tmp_path / "waits.jsonl"
    collector.status = status
    with Cluster(1, topics="orders", records=file) as kafka:
        release(kafka)
    with collecting(collector) as url:
        assert main(["export", "--otlp", url, str(file)]) == 1

    words = f"antechamber export: the collector at {url}/v1/traces did not accept the spans\n"
    assert capsys.readouterr().err == words
