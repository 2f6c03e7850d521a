"""Opens a partition's log, with what it shares with other logs (Kafka's ``UnifiedLog.create``)."""

from __future__ import annotations

from pathlib import Path

from broker.common.clock import Clock
from broker.common.topic_partition import TopicPartition
from broker.storage.files.disk import Disk
from broker.storage.files.flusher import Flusher
from broker.storage.log.local_log import DeleteLater, LocalLog, without_delay
from broker.storage.log.log_loader import load_log
from broker.storage.log.log_recovery import Progress
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.producers.producer_state import ProducerConfig, ProducerStateManager
from broker.storage.producers.snapshot_writer import SnapshotWriter
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from broker.storage.segments.read_cache import ReadCache


def open_log(
    directory: Path,
    topic_partition: TopicPartition,
    config: LogConfig,
    clock: Clock,
    *,
    disk: Disk | None = None,
    cache: ReadCache | None = None,
    flusher: Flusher | None = None,
    delete_later: DeleteLater = without_delay,
    progress: Progress | None = None,
    producer_config: ProducerConfig | None = None,
    snapshot_writer: SnapshotWriter | None = None,
    clean: bool = False,
    recovery_point: int = 0,
    log_start_offset: int = 0,
    high_watermark: int = 0,
    compacted_to: int = 0,
) -> UnifiedLog:
    """Open the log in *directory*, which is made if it does not exist.

    The log shares *disk*, *cache*, *flusher*, *delete_later* (for the deletion of files),
    *progress*, *producer_config* and *snapshot_writer* with other logs. The offsets are those of
    the last checkpoints; unless the last shutdown was *clean*, all batches from the recovery point
    on are checked. Raises OSError and `CorruptRecords`.
    """
    disk = disk or Disk()
    producers = ProducerStateManager(str(topic_partition), producer_config, clock.now_ms)
    loaded = load_log(
        directory,
        config,
        disk,
        producers,
        clean=clean,
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
        now_ms=clock.wall_ms(),
        progress=progress,
    )
    local_log = LocalLog(
        directory,
        config,
        clock,
        disk,
        loaded.segments,
        loaded.next_offset,
        loaded.recovery_point,
        cache=cache,
        flusher=flusher,
        delete_later=delete_later,
        compacted_to=compacted_to,
    )
    log = UnifiedLog(
        *(topic_partition, local_log, loaded.log_start_offset, clock, loaded.epochs, producers),
        snapshot_writer or SnapshotWriter(),
    )
    log.update_high_watermark(LogOffsetMetadata(high_watermark))
    return log
