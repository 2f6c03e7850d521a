"""Tests of the configuration of a log: `broker.storage.log_config`."""

from __future__ import annotations

import pytest

from broker.config import Config
from broker.config.topics import TopicConfig
from broker.storage.log_config import TARGET_CODECS, LogConfig
from protocol.compression import Codec


def test_the_defaults_are_kafkas() -> None:
    """Those of the best known keys."""
    config = LogConfig()
    assert config.segment_bytes == 1 << 30
    assert config.max_message_bytes == 1_048_588
    assert not config.is_compacted
    assert not config.uses_log_append_time
    assert TARGET_CODECS[config.compression_type] is None


def test_compaction_may_be_one_policy_of_two() -> None:
    """``compact,delete`` compacts."""
    assert LogConfig(cleanup_policy=("compact", "delete")).is_compacted


@pytest.mark.parametrize(
    ("codec", "level"),
    [(Codec.GZIP, None), (Codec.SNAPPY, None), (Codec.LZ4, 9), (Codec.ZSTD, 3)],
)
def test_the_default_levels_are_kafkas(codec: Codec, level: int | None) -> None:
    """-1 is gzip's own default."""
    assert LogConfig().compression_level(codec) == level


def test_a_configured_level_is_used() -> None:
    """Each codec has its own key."""
    assert LogConfig(compression_gzip_level=1).compression_level(Codec.GZIP) == 1


def test_a_key_of_the_topic_overrides_that_of_the_broker() -> None:
    """The other keys have the broker's values."""
    topic = TopicConfig(Config(), {"segment.bytes": "2000000"})

    assert LogConfig.from_topic(topic).segment_bytes == 2_000_000


def test_the_internal_size_of_a_segment_has_no_lower_limit() -> None:
    """It takes the place of ``segment.bytes``, so that tests get small segments."""
    settings = {"segment.bytes": "2000000", "internal.segment.bytes": "100"}

    assert LogConfig.from_topic(TopicConfig(Config(), settings)).segment_bytes == 100
