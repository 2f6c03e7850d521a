"""The bytes on disk after a produce."""

from __future__ import annotations

from integration.parity.admin_requests import delete_records
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.compression import Codec


@scenario()
def files_of_a_partition(kafka: Kafka) -> Observations:
    """The segment contains the batches unchanged, except for offsets and epoch."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a", "b", at=1000)))
    kafka.request(produce(topic, batch("c", at=2000, codec=Codec.GZIP)))
    kafka.request(produce(topic, batch("d", at=1500, producer=(900_100, 0, 0))))
    files = kafka.system.partition_files(topic, 0)
    yield sorted(files)
    yield "log", files["00000000000000000000.log"]
    yield "leader epochs", files["leader-epoch-checkpoint"]
    yield "index", files["00000000000000000000.index"].strip(b"\0")


@scenario()
def files_of_several_segments(kafka: Kafka) -> Observations:
    """A full segment is followed by one that is named after its base offset."""
    topic = kafka.topic(segment_bytes=str(1 << 20), index_interval_bytes="4096")
    for letter in "abcde":
        kafka.request(produce(topic, batch(letter * 400_000, at=1000)))
    files = kafka.system.partition_files(topic, 0)
    yield sorted(files)
    yield {name: len(files[name]) for name in sorted(files) if name.endswith(".log")}
    for name in sorted(files)[:3]:
        if name.endswith(("00.index", "00.timeindex")):
            yield name, files[name]


@scenario()
def files_after_delete_records(kafka: Kafka) -> Observations:
    """Complete segments below the log start are deleted."""
    topic = kafka.topic(segment_bytes=str(1 << 20))
    for letter in "abcdef":
        kafka.request(produce(topic, batch(letter * 400_000)))
    yield kafka.request(delete_records(topic, {0: 3}))
    yield kafka.system.partition_files(topic, 0).keys() >= {"00000000000000000004.log"}
