"""Old segments go a few at a time: `broker.storage.retention`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.storage.log import Log
from broker.storage.log_config import LogConfig
from broker.storage.log_manager import LogManager
from broker.storage.retention import SEGMENTS_PER_STEP, Retention
from tests.broker.storage.logs import StillClock, batch, replicate


class House:
    """Logs with segments of one batch each, and the steps that retention has left for later."""

    def __init__(self, path: Path) -> None:
        self.clock = StillClock()
        self.logs = LogManager(path, self.clock, node_id=1, cluster_id="c", durable=False)
        self.later: list[Callable[[], None]] = []
        self.retention = Retention(self.logs, lambda _, action: self.later.append(action))

    def log(self, number: int, segments: int) -> Log:
        """A log whose segments are all replicated."""
        config = LogConfig(segment_bytes=100, retention_ms=1000)
        log = self.logs.get_or_create(TopicPartition("t", number), UUID(int=1), config)
        for _ in range(segments):
            log.append_as_leader(batch(1), 0)
        replicate(log)
        return log

    def go_on(self) -> None:
        """Do what was left for later."""
        [action] = self.later
        self.later = []
        action()


def test_a_step_deletes_so_many_segments_of_all_logs(tmp_path: Path) -> None:
    """The next step continues; each log goes on in a new segment in the end."""
    house = House(tmp_path)
    logs = [house.log(number, SEGMENTS_PER_STEP) for number in range(3)]
    house.clock.time_ms += 2000

    left = []
    house.retention.look()
    while house.later:
        left.append(sum(len(log.segment_base_offsets) for log in logs))
        house.go_on()

    assert left == [2 * SEGMENTS_PER_STEP + 1, SEGMENTS_PER_STEP + 2, 3]
    assert [log.log_start_offset for log in logs] == [SEGMENTS_PER_STEP] * 3


def test_the_log_start_follows_each_step(tmp_path: Path) -> None:
    """Nothing is read from segments that are gone."""
    house = House(tmp_path)
    log = house.log(0, SEGMENTS_PER_STEP + 5)
    house.clock.time_ms += 2000

    house.retention.look()

    assert log.log_start_offset == log.segment_base_offsets[0] == SEGMENTS_PER_STEP


def test_a_second_look_does_not_begin_while_the_first_goes_on(tmp_path: Path) -> None:
    """One step is left for later, not two."""
    house = House(tmp_path)
    house.log(0, 3 * SEGMENTS_PER_STEP)
    house.clock.time_ms += 2000

    house.retention.look()
    house.retention.look()

    assert len(house.later) == 1


def test_a_look_that_finds_little_is_over_at_once(tmp_path: Path) -> None:
    """As nearly all are."""
    house = House(tmp_path)
    house.log(0, 3)
    house.retention.look()
    house.clock.time_ms += 2000
    house.retention.look()

    assert not house.later
