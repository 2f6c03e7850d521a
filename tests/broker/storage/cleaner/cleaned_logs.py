"""For tests of the compaction of several logs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.steps.offload import Offload
from broker.steps.queue import Slices
from broker.steps.schedule import Action
from broker.storage.cleaner.log_cleaner import LogCleaner
from broker.storage.directories.log_manager import LogManager
from broker.storage.files.disk import DiskFile
from broker.storage.files.open_files import OpenFiles
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from tests.broker.storage.logs import ORDERS, FailingDisk, StillClock, batch, replicate

OTHERS = TopicPartition("others", 0)


class CleanedLogs:
    """Logs with a cleaner whose pauses end when the test calls `work`."""

    def __init__(self, path: Path, offload: Offload | None = None) -> None:
        self.clock = StillClock()
        self.files = OpenFiles[DiskFile]()
        self.disk = FailingDisk(open_files=self.files)
        self.logs = LogManager(
            path,
            self.clock,
            node_id=1,
            cluster_id="c",
            durable=False,
            make_disk=lambda _: self.disk,
        )
        self.waiting: list[Callable[[], None]] = []
        self.offload = offload
        self.cleaner = LogCleaner(self.logs, self.schedule_once, offload)

    def schedule_once(self, _delay_ms: float, action: Callable[[], None]) -> None:
        self.waiting.append(action)

    def search(self) -> Slices[None]:
        """Replace the cleaner by one that searches for dirty logs while the test continues this."""
        searches: list[Slices[None]] = []

        def in_slices(work: Callable[[], Slices[None]]) -> Action:
            def start() -> None:
                if not searches:
                    searches.append(work())

            return start

        self.cleaner = LogCleaner(self.logs, self.schedule_once, self.offload, in_slices)
        self.cleaner.start()
        return searches[0]

    def log(self, key: TopicPartition = ORDERS, batches: int = 8, **config: Any) -> UnifiedLog:
        """A log of batches with the same key, two per segment."""
        settings = {"cleanup_policy": ("compact",), "segment_bytes": 400, **config}
        log = self.logs.get_or_create(key, UUID(int=1), LogConfig(**settings))
        for _ in range(batches):
            log.append_as_leader(batch(1, key=b"k", size=100), 0)
        replicate(log)
        return log

    def work(self) -> int:
        """Run the cleaner to its end; returns the number of pauses."""
        turns = 0
        while self.waiting:
            self.waiting.pop(0)()
            turns += 1
        return turns
