"""Declarations of topic keys."""

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


def test_a_key_has_the_range_of_its_first_synonym() -> None:
    """Unless it declares its own range."""
    segment, flush = (field.metadata[METADATA] for field in fields(Declared))

    assert segment.kind == KEYS["log.roll.ms"].kind
    assert segment.synonyms == (("log.roll.ms", 1), ("log.roll.hours", 10))
    assert flush.kind == int64(0)


def test_a_key_has_the_documentation_of_its_synonym_or_its_reason() -> None:
    """The documentation is a sentence in both cases."""
    (segment, _) = (field.metadata[METADATA] for field in fields(Declared))
    unused = TopicKey(name="x", own_kind=Boolean(), default=False, unused="it is not read")

    assert segment.documentation == KEYS["log.roll.ms"].documentation
    assert unused.documentation == "No effect: it is not read."
