"""Declarations of keys of topics."""

from __future__ import annotations

from dataclasses import dataclass, fields

from broker.config.kinds import Boolean, int64
from broker.config.table import KEYS
from broker.config.topic_key import METADATA, TopicKey, topic_key


@dataclass(init=False)
class Declared:
    """Two keys, with and without a range of their own."""

    segment_ms: int = topic_key("segment.ms", "log.roll.ms", ("log.roll.hours", 10))
    flush_ms: int = topic_key("flush.ms", "log.flush.interval.ms", kind=int64(0))


def test_a_key_has_the_range_of_the_brokers_key_behind_it() -> None:
    """The first of them, unless it has its own."""
    segment, flush = (field.metadata[METADATA] for field in fields(Declared))

    assert segment.kind == KEYS["log.roll.ms"].kind
    assert segment.synonyms == (("log.roll.ms", 1), ("log.roll.hours", 10))
    assert flush.kind == int64(0)


def test_a_key_has_the_documentation_of_the_brokers_key_or_says_why_it_has_no_effect() -> None:
    """A sentence in either case."""
    (segment, _) = (field.metadata[METADATA] for field in fields(Declared))
    idle = TopicKey(name="x", own_kind=Boolean(), default=False, idle="nobody reads it")

    assert segment.documentation == KEYS["log.roll.ms"].documentation
    assert idle.documentation == "No effect: nobody reads it."
