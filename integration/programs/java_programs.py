"""Programs for the JVM: Kafka's own frameworks, Spring Kafka and Flink."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.error import URLError

from confluent_kafka import Consumer, Producer

from antechamber import Cluster
from integration.kafka.jars import KAFKA_VERSION
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess, free_ports
from integration.programs.program import Place, Program, maven_jars

_SOURCES = Path(__file__).parent / "java"
_WITHIN_SECONDS = 120
LOGGING = "org.slf4j:slf4j-nop:2.0.17"
_SPRING_VERSION = "4.0.0"
_FLINK_VERSION = "2.0.0"
_FLINK_CONNECTOR = "4.0.1-2.0"
# Flink's serializers use reflection on classes of java.base.
_FLINK_OPTIONS = (
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.time=ALL-UNNAMED",
)


def streams_jars() -> Path:
    """Return the folder with the jars of Kafka Streams; raises `Unavailable`."""
    return maven_jars(
        f"streams-{KAFKA_VERSION}", f"org.apache.kafka:kafka-streams:{KAFKA_VERSION}", LOGGING
    )


def compiled(source: str, jars: Path, folder: Path, *options: str) -> list[str | Path]:
    """Compile a source of `integration/programs/java`; returns the command that runs it."""
    class_path = f"{folder}:{jars}/*"
    compiler: list[str | Path] = [
        "javac",
        "-proc:none",
        "-cp",
        class_path,
        "-d",
        folder,
        _SOURCES / f"{source}.java",
    ]
    subprocess.run(compiler, check=True, timeout=_WITHIN_SECONDS)
    return ["java", *options, "-cp", class_path, source]


def printed(command: Sequence[str | Path]) -> str:
    """Return the output of a program, which must succeed."""
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=_WITHIN_SECONDS
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-1000:]
    return done.stdout


def properties(path: Path, values: Mapping[str, str]) -> Path:
    """Write a properties file."""
    path.write_text("".join(f"{key}={value}\n" for key, value in values.items()))
    return path


@contextmanager
def running(command: Sequence[str | Path], folder: Path) -> Iterator[ServerProcess]:
    """A program that runs until the end of the block."""
    process = ServerProcess(command, folder)
    try:
        yield process
    finally:
        process.kill()


# ----------------------------------------------------------------------------------- Connect


def _connect(place: Place) -> None:
    jars = maven_jars(
        f"connect-{KAFKA_VERSION}",
        f"org.apache.kafka:connect-runtime:{KAFKA_VERSION}",
        f"org.apache.kafka:connect-file:{KAFKA_VERSION}",
        LOGGING,
    )
    (port,) = free_ports(1)
    worker = {
        "bootstrap.servers": place.bootstrap,
        "group.id": "connect-cluster",
        "listeners": f"http://127.0.0.1:{port}",
        "plugin.path": str(jars),
        "plugin.discovery": "service_load",  # a scan of all classes takes a minute
        "offset.flush.interval.ms": "500",
        **{
            f"{kind}.converter": "org.apache.kafka.connect.storage.StringConverter"
            for kind in ("key", "value")
        },
        **{f"{kind}.storage.topic": f"connect-{kind}s" for kind in ("offset", "config")},
        "status.storage.topic": "connect-status",
        **{f"{kind}.storage.replication.factor": "1" for kind in ("offset", "config", "status")},
    }
    source, sink = place.folder / "source.txt", place.folder / "sink.txt"
    lines = [f"line {number}" for number in range(100)]
    source.write_text("\n".join(lines) + "\n")
    worker_file = properties(place.folder / "worker.properties", worker)
    main = "org.apache.kafka.connect.cli.ConnectDistributed"
    with running(["java", "-cp", f"{jars}/*", main, worker_file], place.folder / "worker"):
        kind = "org.apache.kafka.connect.file.FileStream"
        connectors = {
            "source": {"connector.class": f"{kind}SourceConnector", "file": source, "topic": "f"},
            "sink": {"connector.class": f"{kind}SinkConnector", "file": sink, "topics": "f"},
        }
        for name, settings in connectors.items():
            body = json.dumps({"name": name, "config": settings}, default=str).encode()
            eventually(partial(_post, port, body), f"connector {name}")
        eventually(
            lambda: sink.exists() and sink.read_text().splitlines() == lines,
            "all lines in the sink's file",
        )


def _post(port: int, body: bytes) -> bool:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/connectors", body, {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return bool(response.status == 201)
    except (URLError, OSError):
        return False


# ------------------------------------------------------------------------------- MirrorMaker


def _mirror_maker(place: Place) -> None:
    jars = maven_jars(
        f"mirror-{KAFKA_VERSION}", f"org.apache.kafka:connect-mirror:{KAFKA_VERSION}", LOGGING
    )
    values = [b"%d" % number for number in range(100)]
    _produce(place.bootstrap, "orders", values)
    with Cluster() as target:
        settings = {
            "clusters": "a, b",
            "a.bootstrap.servers": place.bootstrap,
            "b.bootstrap.servers": target.bootstrap,
            "a->b.enabled": "true",
            "a->b.topics": "orders",
            "b->a.enabled": "false",
            "replication.factor": "1",
            **{
                f"{kind}.topic.replication.factor": "1"
                for kind in ("checkpoints", "heartbeats", "offset-syncs")
            },
            **{
                f"{kind}.storage.replication.factor": "1" for kind in ("offset", "config", "status")
            },
            "refresh.topics.interval.seconds": "1",
        }
        path = properties(place.folder / "mirror.properties", settings)
        main = "org.apache.kafka.connect.mirror.MirrorMaker"
        with running(["java", "-cp", f"{jars}/*", main, path], place.folder / "mirror"):
            assert _consume(target.bootstrap, "a.orders", len(values)) == values


def _produce(bootstrap: str, topic: str, values: Sequence[bytes]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for value in values:
        producer.produce(topic, value)
    assert producer.flush(60) == 0


def _consume(bootstrap: str, topic: str, count: int) -> list[bytes]:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "check",
            "auto.offset.reset": "earliest",
            "topic.metadata.refresh.interval.ms": 500,
            "log_level": 0,
        }
    )
    consumer.subscribe([topic])
    values: list[bytes] = []

    def all_read() -> bool:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            values.append(message.value() or b"")
        return len(values) == count

    eventually(all_read, f"{count} records of {topic}", within=90)
    consumer.close()
    return values


# ----------------------------------------------------------------------- one program, one run


def _streams(place: Place) -> None:
    command = compiled("WordCount", streams_jars(), place.folder)
    counted = printed([*command, place.bootstrap, str(place.folder / "state")])
    assert counted.split() == ["a=3", "b=2", "c=1"]


def _spring_kafka(place: Place) -> None:
    jars = maven_jars(
        f"spring-kafka-{_SPRING_VERSION}",
        f"org.springframework.kafka:spring-kafka:{_SPRING_VERSION}",
        LOGGING,
    )
    heard = printed([*compiled("SpringListener", jars, place.folder), place.bootstrap])
    assert heard.split() == [f"message-{number}" for number in range(10)]


def _flink(place: Place) -> None:
    jars = maven_jars(
        f"flink-{_FLINK_VERSION}",
        f"org.apache.flink:flink-connector-kafka:{_FLINK_CONNECTOR}",
        f"org.apache.flink:flink-clients:{_FLINK_VERSION}",
        f"org.apache.flink:flink-connector-base:{_FLINK_VERSION}",
        f"org.apache.flink:flink-streaming-java:{_FLINK_VERSION}",
        LOGGING,
    )
    _produce(place.bootstrap, "in", [b"%d" % number for number in range(100)])
    printed([*compiled("FlinkDoubles", jars, place.folder, *_FLINK_OPTIONS), place.bootstrap])
    doubled = _consume(place.bootstrap, "out", 100)
    assert sorted(map(int, doubled)) == [2 * number for number in range(100)]


PROGRAMS = (
    Program(
        "Kafka Connect",
        KAFKA_VERSION,
        "a distributed worker copies a file by way of a topic",
        _connect,
    ),
    Program(
        "MirrorMaker 2",
        KAFKA_VERSION,
        "a topic is copied from one broker to another",
        _mirror_maker,
    ),
    Program(
        "Kafka Streams", KAFKA_VERSION, "a count with a store and its changelog topic", _streams
    ),
    Program(
        "Spring Kafka",
        _SPRING_VERSION,
        "a template sends, a listener container receives",
        _spring_kafka,
    ),
    Program(
        "Apache Flink",
        f"{_FLINK_VERSION}, connector {_FLINK_CONNECTOR}",
        "a bounded source, a map and a sink",
        _flink,
    ),
)
