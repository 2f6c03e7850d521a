"""Tests of the codec: round trips, comparison with kafka-python, and malformed bytes."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.codec import Malformed, Output, Unencodable, decode, encode, encode_into
from protocol.fields import fields_of
from protocol.messages import REQUESTS, RESPONSES
from protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.sync_group import SyncGroupRequest
from tests.protocol.kafka_python import kafka_python_decode, kafka_python_encode
from tests.protocol.kafka_schemas import is_known_to_kafka_python
from tests.protocol.random_messages import random_message

MESSAGES = [
    (cls, version)
    for messages in (REQUESTS, RESPONSES)
    for cls in messages.values()
    for version in cls.__spec__.versions
]
IDS = [f"{cls.__name__}-v{version}" for cls, version in MESSAGES]


@pytest.mark.parametrize(("cls", "version"), MESSAGES, ids=IDS)
def test_what_is_written_is_read_again(cls: Any, version: int) -> None:
    """A message of any version is decoded as it was encoded."""
    rng = random.Random(f"{cls.__name__} {version}")
    for _ in range(3):
        message = random_message(rng, cls, version)

        assert decode(cls, version, encode(message, version)) == message


@pytest.mark.parametrize(
    ("cls", "version"), [pair for pair in MESSAGES if is_known_to_kafka_python(pair[0])]
)
def test_kafka_python_reads_and_writes_the_same(cls: Any, version: int) -> None:
    """kafka-python decodes the same values and encodes the same bytes."""
    rng = random.Random(f"{cls.__name__} {version}")
    for _ in range(3):
        message = random_message(rng, cls, version)
        raw = encode(message, version)

        theirs = kafka_python_decode(cls.__name__, version, raw)

        assert_same(message, theirs, version)
        assert kafka_python_encode(theirs, version).hex() == raw.hex()


def assert_same(ours: Any, theirs: Any, version: int) -> None:
    """Each field of *version* has the same value on both sides."""
    plain, tagged = fields_of(type(ours), version)
    said = [field for field in tagged.values() if getattr(ours, field.name) != field.default()]
    for field in [*plain, *said]:
        mine, other = getattr(ours, field.name), getattr(theirs, field.name)
        if dataclasses.is_dataclass(mine):
            assert_same(mine, other, version)
        elif isinstance(mine, list) and mine and dataclasses.is_dataclass(mine[0]):
            for one, two in zip(mine, other, strict=True):
                assert_same(one, two, version)
        else:
            assert mine == other, field.name


@given(seed=st.integers(0, 2**32), data=st.data())
def test_mutated_messages_are_read_or_malformed(seed: int, data: st.DataObject) -> None:
    """Decoding a mutated message returns a message or raises Malformed."""
    rng = random.Random(seed)
    cls, version = rng.choice(MESSAGES)
    raw = bytearray(encode(random_message(rng, cls, version), version))
    for _ in range(data.draw(st.integers(1, 4))):
        _mutate(rng, raw)

    try:
        message = decode(cls, version, raw)
    except Malformed:
        return
    assert isinstance(message, cls)


def _mutate(rng: random.Random, raw: bytearray) -> None:
    at = rng.randrange(len(raw) + 1)
    match rng.randrange(4):
        case 0:
            del raw[at:]
        case 1:
            raw[at:at] = rng.randbytes(rng.randrange(1, 9))
        case 2:
            del raw[at : at + rng.randrange(1, 9)]
        case _:
            raw[at : at + 4] = rng.choice((b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x80\0\0\0"))


@given(raw=st.binary(max_size=200), seed=st.integers(0, 2**32))
@example(raw=b"\xff" * 200, seed=0)
def test_random_bytes_are_read_or_malformed(raw: bytes, seed: int) -> None:
    """Decoding random bytes raises nothing but Malformed."""
    cls, version = random.Random(seed).choice(MESSAGES)

    try:
        message = decode(cls, version, raw)
    except Malformed:
        return
    assert isinstance(message, cls)


def test_a_false_array_length_allocates_nothing() -> None:
    """An array with two billion items in a small frame is refused before it is allocated."""
    raw = encode(FetchRequest(max_wait_ms=0, min_bytes=0, topics=[]), 4)
    raw = raw[:-4] + b"\x7f\xff\xff\xff"

    with _peak_memory() as peak, pytest.raises(Malformed, match="array"):
        decode(FetchRequest, 4, raw)

    assert peak() < 100_000


@pytest.mark.parametrize("raw", [b"\0" * 4096, b"\1" * 4096, b"\2" * 4096, b"\x7f" * 4096])
def test_no_bytes_take_much_memory(raw: bytes) -> None:
    """False lengths and counts, also nested ones, are refused before memory is allocated."""
    for cls, version in MESSAGES:
        with contextlib.suppress(Malformed):
            decode(cls, version, raw)  # builds the codec, which is not measured

        with _peak_memory() as peak, contextlib.suppress(Malformed):
            decode(cls, version, raw)

        assert peak() < 16 * len(raw), (cls.__name__, version)


def test_memory_is_bounded_by_the_frame() -> None:
    """The smallest item has two bytes on the wire, and less than a hundred in memory."""
    topics = [MetadataRequestTopic(name="") for _ in range(10_000)]
    raw = encode(MetadataRequest(topics=topics), 9)

    with _peak_memory() as peak:
        assert decode(MetadataRequest, 9, raw).topics == topics

    assert peak() < 10_000 * 100


@contextlib.contextmanager
def _peak_memory() -> Iterator[Callable[[], int]]:
    """Measures the peak memory of the block; may be called inside it or after."""
    most = 0
    tracemalloc.start()
    try:
        yield lambda: most
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()


@given(seed=st.integers(0, 2**32))
def test_bytes_after_a_message_are_ignored(seed: int) -> None:
    """Bytes after a message are ignored in every API and version, as in Kafka."""
    rng = random.Random(seed)
    cls, version = rng.choice(MESSAGES)
    message = random_message(rng, cls, version)

    assert decode(cls, version, encode(message, version) + rng.randbytes(3)) == message


def test_null_is_refused_where_it_is_not_legal() -> None:
    """A Metadata request may have null topics from v1 on; in v0 null is malformed."""
    assert decode(MetadataRequest, 1, b"\xff\xff\xff\xff").topics is None
    with pytest.raises(Malformed, match="null"):
        decode(MetadataRequest, 0, b"\xff\xff\xff\xff")


@pytest.mark.parametrize("version", [0, 4])
@pytest.mark.parametrize(
    "change",
    [
        {"group_id": "x" * 32_768},
        {"group_id": "\ufffd" * 11_000},
        {"group_id": "\ud800"},
        {"group_id": None},
        {"group_id": 7},
        {"generation_id": 2**31},
        {"generation_id": -(2**31) - 1},
        {"generation_id": None},
        {"generation_id": 1.5},
    ],
)
def test_a_value_that_does_not_fit_is_unencodable(version: int, change: dict[str, Any]) -> None:
    """Text that is too long or not text, a number out of range and None raise Unencodable."""
    fitting = SyncGroupRequest(group_id="g", generation_id=1, member_id="m", assignments=[])

    with pytest.raises(Unencodable, match=f"SyncGroupRequest v{version}: "):
        encode(dataclasses.replace(fitting, **change), version)


def test_a_field_absent_from_a_version_reads_as_its_default() -> None:
    """Handlers get the same fields in every version."""
    raw = encode(FetchRequest(max_wait_ms=1, min_bytes=2, session_id=9, topics=[]), 4)

    assert decode(FetchRequest, 4, raw).session_id == 0


def test_records_are_views_into_the_frame() -> None:
    """Records are not copied between the socket and the log."""
    frame = bytearray(encode(_fetched(b"records"), 4))

    (topic,) = decode(FetchResponse, 4, frame).responses
    view = topic.partitions[0].records

    assert isinstance(view, memoryview)
    frame[frame.index(b"records")] = ord("R")
    assert bytes(view) == b"Records"


def test_large_records_are_sent_without_a_copy() -> None:
    """A large record set is a part of its own, not a copy."""
    records = bytes(100_000)
    out = Output()
    encode_into(out, _fetched(records), 12)

    assert any(part is records for part in out.parts())
    assert out.joined() == encode(_fetched(records), 12)


def test_a_topic_id_is_read_once() -> None:
    """The same topic id in two requests is the same object, because ids recur often."""
    request = FetchRequest(max_wait_ms=0, min_bytes=0, topics=[FetchTopic(partitions=[])])
    raw = encode(request, 13)

    one, other = decode(FetchRequest, 13, raw), decode(FetchRequest, 13, raw)

    assert one.topics[0].topic_id is other.topics[0].topic_id


def _fetched(records: bytes) -> FetchResponse:
    data = PartitionData(
        partition_index=0, high_watermark=1, aborted_transactions=None, records=records
    )
    return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[data])])
