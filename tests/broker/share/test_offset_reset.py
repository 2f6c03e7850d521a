"""The offset at which a share group begins."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.share.offset_reset import OffsetReset, duration_ms
from protocol.errors import ErrorCode
from tests.broker.share.bench import Settings
from tests.broker.storage.logs import NOW_MS, batch, open_log

PARTITION = TopicPartition("t", 0)


@pytest.fixture
def reset(tmp_path: Path) -> OffsetReset:
    """The log has 10 records, one every 100 ms, and the time is that of the last one."""
    log = open_log(tmp_path)
    for number in range(10):
        log.append_as_leader(batch(1, timestamp=NOW_MS + 100 * number), 0)
    log.update_high_watermark(log.log_end_offset_metadata)
    hosted: Any = SimpleNamespace(get_or_error=lambda _: SimpleNamespace(log=log))
    return OffsetReset(hosted, lambda: NOW_MS + 900)


@pytest.mark.parametrize(
    ("strategy", "offset"),
    [("latest", 10), ("earliest", 0), ("by_duration:PT0.25S", 7), ("by_duration:P1D", 0)],
)
def test_each_strategy_has_its_offset(reset: OffsetReset, strategy: str, offset: int) -> None:
    """A duration finds the first record that is not older."""
    settings: Any = Settings(auto_offset_reset=strategy)
    assert reset.offset(PARTITION, settings) == offset


def test_a_duration_needs_a_record_that_is_not_older(reset: OffsetReset) -> None:
    """Otherwise the offset is not available, until such a record is appended."""
    settings: Any = Settings(auto_offset_reset="by_duration:PT-0.1S")
    with pytest.raises(ApiError) as refused:
        reset.offset(PARTITION, settings)
    assert refused.value.code is ErrorCode.OFFSET_NOT_AVAILABLE


@pytest.mark.parametrize(
    ("duration", "ms"),
    [("P1D", 86_400_000), ("PT1H", 3_600_000), ("PT2M", 120_000), ("P1DT0.5S", 86_400_500)],
)
def test_a_duration_has_milliseconds(duration: str, ms: int) -> None:
    """ISO 8601 durations have days, hours, minutes and seconds."""
    assert duration_ms(f"by_duration:{duration}") == ms
