"""`python -m integration.crash --times N`: a writer is killed at random moments, again and again.

A child opens the logs (and so recovers what the one before it left), appends, rolls, checkpoints,
flushes, and sometimes closes in order; SIGKILL may meet it anywhere, in its recovery, too. Whatever
it was told to be written it notes in a file before it goes on. After each death the logs are
opened: every record noted must be there, in its place, in whole batches, and soon.

The seed is printed; it decides what the children do and when they are meant to die, not how far
the machine lets them come until then.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import struct
import sys
import tempfile
import time
from pathlib import Path
from uuid import UUID

from broker.storage.log import Log
from broker.storage.log_config import LogConfig
from broker.storage.log_manager import LogManager
from broker.topic_partition import TopicPartition
from protocol.compression import Codec
from protocol.records import Record, batches, build_batch, check_crc, records

PARTITIONS = 3
SEGMENT_BYTES = 16 * 1024
RECORDS_MAX = 20
DIES_WITHIN_SECONDS = 0.06
# Many times what recovery takes: a bound, not a measure.
RECOVERS_WITHIN_SECONDS = 5.0
# Then logs begin anew, so that the checks do not take longer and longer.
LIVES_OF_A_FOLDER = 25
_NOTE = struct.Struct(">ii")


class MachineClock:
    """The machine's own time."""

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        return time.monotonic() * 1000

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch."""
        return time.time_ns() // 1_000_000

    def wall_us_at(self, now_ms: float) -> int:
        """Microseconds since the Unix epoch."""
        return self.wall_ms() * 1000 + int((now_ms - self.now_ms()) * 1000)


def main() -> int:
    """Kill as often as asked; AssertionError tells what was lost."""
    parser = argparse.ArgumentParser(prog="python -m integration.crash", description=__doc__)
    parser.add_argument("--times", type=int, default=300, help="how many writers to kill")
    parser.add_argument("--seed", type=int, default=None, help="as an earlier run printed it")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    kept = slowest = 0.0
    for begin in range(0, options.times, LIVES_OF_A_FOLDER):
        with tempfile.TemporaryDirectory(prefix="antechamber-crash-") as folder:
            for _ in range(min(LIVES_OF_A_FOLDER, options.times - begin)):
                _live_and_die(Path(folder), chance)
                count, seconds = check(Path(folder))
                slowest = max(slowest, seconds)
            kept += count
    print(f"{options.times} killed, {kept:.0f} records kept, slowest recovery {slowest:.3f} s")
    return 0


def _live_and_die(folder: Path, chance: random.Random) -> None:
    """One child, from its start to its death."""
    seed, dies_after = chance.random(), chance.uniform(0.001, DIES_WITHIN_SECONDS)
    child = os.fork()
    if not child:
        try:
            write(folder, random.Random(seed))
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(1)
    time.sleep(dies_after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the writer failed before it was killed"


def write(folder: Path, chance: random.Random) -> None:
    """What a child does for as long as it lives."""
    notes = os.open(folder / "notes", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    while True:
        manager = opened(folder)
        logs = [log_of(manager, number) for number in range(PARTITIONS)]
        for _ in range(chance.randrange(20, 200)):
            log = chance.choice(logs)
            append(log, notes, chance)
            if chance.random() < 0.02:
                chance.choice([log.roll, log.flush, manager.checkpoint])()
        manager.close()


def append(log: Log, notes: int, chance: random.Random) -> None:
    """Append a batch of records that tell their places, and note where it ends."""
    begin, number = log.log_end_offset, log.topic_partition.partition
    padding = bytes(chance.randrange(400))
    now_ms = MachineClock().wall_ms()
    values = [
        Record(None, value_at(number, offset) + padding, timestamp=now_ms)
        for offset in range(begin, begin + chance.randint(1, RECORDS_MAX))
    ]
    batch = build_batch(values, codec=chance.choice(list(Codec)))
    log.append_as_leader(memoryview(bytearray(batch)), 0)
    os.write(notes, _NOTE.pack(number, log.log_end_offset))


def check(folder: Path) -> tuple[int, float]:
    """Open the logs and hold them against the notes; returns records found, seconds it took.

    The process that looks is a copy that dies without a word, so the next child recovers, too.
    """
    noted = [0] * PARTITIONS
    if (folder / "notes").exists():
        for number, end in _NOTE.iter_unpack((folder / "notes").read_bytes()):
            noted[number] = max(noted[number], end)
    began = time.perf_counter()
    manager = opened(folder)
    logs = [log_of(manager, number) for number in range(PARTITIONS)]
    seconds = time.perf_counter() - began
    assert seconds < RECOVERS_WITHIN_SECONDS, f"recovery took {seconds:.1f} s"
    for number, log in enumerate(logs):
        end = log.log_end_offset
        assert end >= noted[number], f"{log.topic_partition} ends at {end}, not at {noted[number]}"
        assert end <= noted[number] + RECORDS_MAX, f"{log.topic_partition} ends at {end}"
        _check_records(log, number)
    manager.crash()
    return sum(log.log_end_offset for log in logs), seconds


def _check_records(log: Log, number: int) -> None:
    expected = 0
    while expected < log.log_end_offset:
        data = memoryview(log.read(expected, 1 << 20, log.end_metadata, True).records)
        assert data, f"{log.topic_partition}: nothing at {expected}"
        for position, header in batches(data):
            batch = data[position : position + header.size]
            torn = len(batch) < header.size or not check_crc(batch, 0, header)
            assert not torn, f"{log.topic_partition}: a torn batch behind {expected}"
            for record in records(batch):
                assert record.offset == expected, f"{record.offset} instead of {expected}"
                assert record.value is not None
                assert record.value.startswith(value_at(number, expected)), f"not {expected}"
                expected += 1


def value_at(number: int, offset: int) -> bytes:
    """What the record at this place begins with."""
    return b"%d-%d;" % (number, offset)


def opened(folder: Path) -> LogManager:
    """The logs, whoever left them."""
    return LogManager(folder / "logs", MachineClock(), node_id=1, cluster_id="c", durable=False)


def log_of(manager: LogManager, number: int) -> Log:
    """One partition's log, in small segments."""
    key, config = TopicPartition("t", number), LogConfig(segment_bytes=SEGMENT_BYTES)
    return manager.get_or_create(key, UUID(int=1), config)


if __name__ == "__main__":
    import logging

    # The recoveries that are meant to happen say a line each.
    logging.disable(logging.WARNING)
    sys.exit(main())
