"""Where a share group begins in a partition that it has not read (``share.auto.offset.reset``).

``latest`` is the high watermark, ``earliest`` the log start offset, and ``by_duration:<ISO>`` the
first record that is at most that old.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.hosted_partitions import HostedPartitions
from broker.share.settings import ShareGroupSettings
from broker.storage.log.offset_search import search_by_timestamp
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.segments.timestamp_search import TimestampAndOffset
from protocol.errors import ErrorCode
from protocol.lazy_pattern import LazyPattern

EARLIEST = "earliest"
_BY_DURATION = "by_duration:"
_PARTS = LazyPattern(r"([+-]?[0-9.]+)([DHMS])")
_UNIT_MS = {"D": 86_400_000, "H": 3_600_000, "M": 60_000, "S": 1000}


class OffsetReset:
    """Finds the offset in the log; *wall_ms* is the time of day in ms."""

    def __init__(self, hosted: HostedPartitions, wall_ms: Callable[[], int]) -> None:
        self._hosted = hosted
        self._wall_ms = wall_ms

    def offset(self, name: TopicPartition, settings: ShareGroupSettings) -> int:
        """The first offset of the group.

        Raises `ApiError` if the partition is not here, or has no record from which to begin.
        """
        log = self._hosted.get_or_error(name).log
        reset = settings.auto_offset_reset
        if reset.startswith(_BY_DURATION):
            return _first_since(log, self._wall_ms() - duration_ms(reset))
        return log.log_start_offset if reset == EARLIEST else log.high_watermark


def duration_ms(reset: str) -> int:
    """The duration of ``by_duration:PnDTnHnMn.nS`` in milliseconds."""
    parts = _PARTS.compiled.findall(reset.removeprefix(_BY_DURATION).upper())
    return int(sum(float(number) * _UNIT_MS[unit] for number, unit in parts))


def _first_since(log: UnifiedLog, timestamp: int) -> int:
    """The first offset whose record is not older.

    Raises `ApiError` OFFSET_NOT_AVAILABLE if there is none, as Kafka's ``ShareFetchUtils``.
    """
    search, found = search_by_timestamp(log, timestamp), None
    while True:
        try:
            examination = search.send(found)
        except StopIteration as end:
            first: TimestampAndOffset | None = end.value
            if first is None or first.offset >= log.high_watermark:
                raise ApiError(ErrorCode.OFFSET_NOT_AVAILABLE) from None
            return first.offset
        with log.storage_errors:
            found = None if examination is None else examination.first_record()
