"""Compressed batches: stored unchanged, or recompressed by the broker."""

from __future__ import annotations

from integration.parity.requests import TIME_MS, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.compression import Codec
from protocol.record_batch.batch import build_batch
from protocol.record_batch.patch import seal
from protocol.record_batch.record import Record

CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD)
VALUES = ("first", "second", "third" * 50)


@scenario()
def compressed_batches_are_kept(kafka: Kafka) -> Observations:
    """By default a batch is stored with its producer's codec, byte for byte."""
    topic = kafka.topic()
    for codec in CODECS:
        sent = batch(*VALUES, codec=codec)
        yield codec.name, kafka.request(produce(topic, sent))
    stored = kafka.request(fetch(topic)).responses[0].partitions[0].records
    same = b"".join(batch(*VALUES, codec=codec)[61:] for codec in CODECS)
    yield "bytes are as sent", len(stored) == len(same) + 61 * len(CODECS)
    yield kafka.request(fetch(topic))


@scenario()
def topics_with_a_codec(kafka: Kafka) -> Observations:
    """compression.type of a topic makes the broker compress or decompress batches."""
    for wanted in ("uncompressed", "gzip", "snappy", "lz4", "zstd"):
        topic = kafka.topic(compression_type=wanted)
        for codec in (Codec.NONE, Codec.GZIP):
            kafka.request(produce(topic, batch(*VALUES, codec=codec)))
        yield wanted, kafka.request(fetch(topic))


@scenario()
def unknown_codecs(kafka: Kafka) -> Observations:
    """The codecs 5 to 7 do not exist."""
    topic = kafka.topic()
    for codec in (5, 6, 7):
        spoilt = bytearray(batch("a"))
        spoilt[22] |= codec
        yield codec, kafka.request(produce(topic, seal(spoilt)))


@scenario()
def zstd_by_an_old_client(kafka: Kafka) -> Observations:
    """zstd needs Produce v7 and Fetch v10."""
    topic = kafka.topic()
    compressed = batch("a", codec=Codec.ZSTD)
    for version in (3, 6, 7):
        yield "produce", version, kafka.request(produce(topic, compressed), version)
    for version in (4, 9, 10):
        yield "fetch", version, kafka.request(fetch(topic), version)


@scenario()
def corrupt_compressed_blocks(kafka: Kafka) -> Observations:
    """A compressed block that is corrupt, or that contains no records, is rejected."""
    topic = kafka.topic()
    for codec in CODECS[1:]:
        spoilt = bytearray(batch(*VALUES, codec=codec))
        spoilt[-12:] = b"\xff" * 12
        yield codec.name, kafka.request(produce(topic, seal(spoilt)))
        half = bytearray(batch(*VALUES, codec=codec)[:-9])
        half[8:12] = (len(half) - 12).to_bytes(4, "big")
        yield codec.name, "cut", kafka.request(produce(topic, seal(half)))


@scenario()
def compressed_records_have_times(kafka: Kafka) -> Observations:
    """Offsets by timestamp are found in compressed batches."""
    topic = kafka.topic()
    for codec in CODECS:
        kafka.request(produce(topic, batch(*VALUES, codec=codec, at=1000 + codec)))
    for at in (0, 1001, 1003, 1005):
        yield at, kafka.request(list_offsets(topic, at))


@scenario()
def batches_that_are_not_encoded_again(kafka: Kafka) -> Observations:
    """What only the encoder refuses is accepted if the batch keeps its codec."""
    kept, changed = kafka.topic(), kafka.topic(compression_type="gzip")
    skipping = [Record(key=None, value=b"x", timestamp=TIME_MS, offset=each) for each in (0, 2)]
    for codec in CODECS:
        batches = {
            "negative time": batch("a", at=-5, codec=codec),
            "no epoch": batch("a", producer=(900_000, -1, 0), codec=codec),
            "offsets": _with_last_offset_delta(build_batch(skipping, codec=codec), 1),
        }
        for what, sent in batches.items():
            yield codec.name, what, kafka.request(produce(kept, sent))
            yield codec.name, what, "gzip", kafka.request(produce(changed, sent))


def _with_last_offset_delta(sent: bytes, delta: int) -> bytes:
    """Change the header's last offset delta."""
    changed = bytearray(sent)
    changed[23:27] = delta.to_bytes(4, "big")
    return seal(changed)
