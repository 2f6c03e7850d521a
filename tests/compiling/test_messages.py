"""Tests of the message modules of a compiled build, which the interpreter runs here."""

from __future__ import annotations

import random
import struct
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiling.messages import MESSAGES, with_native_messages
from compiling.modules import compiled_modules
from protocol import ready_codecs
from protocol.codec import COPIED_BYTES_MAX, DOES_NOT_FIT, Malformed, decode, encode
from protocol.output import Output
from protocol.ready_codecs import ReadyReader
from protocol.schema import ZERO_UUID
from protocol.string_limits import Unencodable
from protocol.wire import Write
from tests.protocol.random_messages import random_message

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
MODULES = [name for name in compiled_modules(ROOT) if name.startswith(MESSAGES)]


class Native(NamedTuple):
    """A module, and the readers and writers that it registers."""

    module: ModuleType
    readers: dict[tuple[Any, int], ReadyReader]
    writers: dict[tuple[Any, int], Write]


@cache
def native(path: str) -> Native:
    """The native module of that at *path*; `protocol.codec` does not use its codecs."""
    source = with_native_messages(path, (ROOT / path).read_text())
    module = ModuleType(f"native_{Path(path).stem}")
    sys.modules[module.__name__] = module  # annotations are evaluated in it
    exec(compile(source, path, "exec"), vars(module))
    return Native(module, taken(ready_codecs.READERS, module), taken(ready_codecs.WRITERS, module))


def taken(table: dict[tuple[Any, int], T], module: ModuleType) -> dict[tuple[Any, int], T]:
    """What *module* has added to *table*, where it is removed."""
    added = [key for key in table if key[0].__module__ == module.__name__]
    return {key: table.pop(key) for key in added}


CODECS = [
    (path, cls.__name__, version)
    for path in MODULES
    for cls, version in {**native(path).readers, **native(path).writers}
]


def message_of(name: str) -> Any:
    """A class of the native Produce module."""
    return getattr(native("protocol/messages/produce.py").module, name)


@pytest.mark.parametrize("path", MODULES)
def test_all_versions_that_a_broker_needs_have_codecs(path: str) -> None:
    """It reads all but responses, writes all but requests, and does both in the last version."""
    module, readers, writers = native(path)
    for cls in (each for each in vars(module).values() if hasattr(each, "__spec__")):
        versions = cls.__spec__.versions
        read = versions[-1:] if cls.__name__.endswith("Response") else versions
        written = versions[-1:] if cls.__name__.endswith("Request") else versions
        assert [version for name, version in readers if name is cls] == list(read)
        assert [version for name, version in writers if name is cls] == list(written)


@pytest.mark.parametrize(("path", "name", "version"), CODECS)
def test_codecs_read_and_write_what_the_interpreted_ones_do(
    path: str, name: str, version: int
) -> None:
    """The bytes of a message are the same, and so is the message that is read from them."""
    module, readers, writers = native(path)
    cls, rng = getattr(module, name), random.Random(f"{name} {version}")
    for _ in range(5):
        message = random_message(rng, cls, version)
        raw = encode(message, version)

        if write := writers.get((cls, version)):
            out = Output()
            write(out, message)
            assert out.joined() == raw
        if read := readers.get((cls, version)):
            assert read(raw, memoryview(raw), 0) == (message, len(raw))


@pytest.mark.parametrize("path", MODULES)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_malformed_bytes_are_malformed_to_both(path: str, seed: int, data: st.DataObject) -> None:
    """Bytes that were changed are read as the same message, or refused by both."""
    _, readers, _ = native(path)
    rng = random.Random(seed)
    (cls, version), read = rng.choice(list(readers.items()))
    changed = bytearray(encode(random_message(rng, cls, version), version))
    for _ in range(data.draw(st.integers(1, 4))):
        at = rng.randrange(len(changed) + 1)
        changed[at : at + rng.randrange(5)] = rng.choice((b"", b"\xff", b"\x7f\xff\xff\xff", b"\0"))
    raw = bytes(changed)

    assert outcome_of(read, raw) == decoded(cls, version, raw)


def outcome_of(read: ReadyReader, raw: bytes) -> Any:
    """The message, or None for malformed bytes."""
    try:
        message, end = read(raw, memoryview(raw), 0)
    except (Malformed, IndexError, struct.error):
        return None
    return message if end <= len(raw) else None


def decoded(cls: Any, version: int, raw: bytes) -> Any:
    """What the interpreted reader returns; None for malformed bytes."""
    try:
        return decode(cls, version, raw)
    except Malformed:
        return None


@pytest.mark.parametrize(
    "change",
    [
        {"name": "x" * 32_768},
        {"name": "\ud800"},
        {"name": None},
        {"partition_responses": None},
        {"partition_responses": [7]},
    ],
)
@pytest.mark.parametrize("version", [5, 9])
def test_a_value_that_does_not_fit_is_refused_by_both(change: dict[str, Any], version: int) -> None:
    """With an exception that `protocol.codec` reports as `Unencodable`."""
    _, _, writers = native("protocol/messages/produce.py")
    topic = message_of("TopicProduceResponse")(name="t", partition_responses=[])
    for name, value in change.items():
        setattr(topic, name, value)
    message = message_of("ProduceResponse")(responses=[topic])

    with pytest.raises(Unencodable):
        encode(message, version)
    with pytest.raises(DOES_NOT_FIT):
        writers[type(message), version](Output(), message)


def test_fields_have_their_defaults() -> None:
    """Each object has its own list."""
    topic = message_of("TopicProduceResponse")(partition_responses=[])
    one, other = (message_of("ProduceResponse")(responses=[topic]) for _ in range(2))

    assert (topic.name, topic.topic_id, one.throttle_time_ms) == ("", ZERO_UUID, 0)
    assert one.node_endpoints == []
    assert one.node_endpoints is not other.node_endpoints


def test_messages_are_shown_and_compared_by_their_fields() -> None:
    """As those of a pure build; without the methods that `dataclasses` would generate."""
    one, same, other = (message_of("LeaderIdAndEpoch")(leader_id=id_) for id_ in (1, 1, 2))

    assert one == same
    assert one != other
    assert repr(one) == "LeaderIdAndEpoch(leader_id=1, leader_epoch=-1)"


def test_a_reader_returns_views_into_the_bytes_it_was_given() -> None:
    """Records are not copied: the log writes their base offsets into them."""
    _, readers, _ = native("protocol/messages/produce.py")
    partition = message_of("PartitionProduceData")(index=0, records=b"abc")
    topic = message_of("TopicProduceData")(name="t", partition_data=[partition])
    cls = message_of("ProduceRequest")
    raw = bytearray(encode(cls(acks=1, timeout_ms=0, topic_data=[topic]), 9))

    message, _ = readers[cls, 9](bytes(raw), memoryview(raw), 0)
    message.topic_data[0].partition_data[0].records[0] = ord("x")

    assert b"xbc" in raw


def test_a_ready_codec_is_used_unless_the_message_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader needs a copy of the bytes, so the interpreted one reads a large message."""
    _, readers, writers = native("protocol/messages/heartbeat.py")
    (cls,) = {cls for cls, _ in readers if cls.__name__ == "HeartbeatRequest"}
    used: list[str] = []

    def read(raw: bytes, buf: memoryview, pos: int) -> tuple[Any, int]:
        used.append("read")
        return readers[cls, 4](raw, buf, pos)

    def write(out: Output, message: Any) -> None:
        used.append("write")
        writers[cls, 4](out, message)

    monkeypatch.setitem(ready_codecs.READERS, (cls, 4), read)
    monkeypatch.setitem(ready_codecs.WRITERS, (cls, 4), write)
    message = cls(group_id="g", generation_id=1, member_id="m")
    raw = encode(message, 4)

    assert decode(cls, 4, raw) == message
    assert used == ["write", "read"]
    assert decode(cls, 4, raw + bytes(COPIED_BYTES_MAX)) == message
    assert used == ["write", "read"]
