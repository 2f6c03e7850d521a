"""A consumer with read_committed, which filters as Kafka's clients do.

fetch: records below the last stable offset, and aborted transactions (producer id, first)
batch --> producers of which an aborted transaction begins at or before its last offset: aborted
      --> control batch: not delivered; an abort marker ends that of its producer
      --> transactional, of an aborted producer: skipped
      --> delivered
"""

from __future__ import annotations

from random import Random

import trio

from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, PartitionData
from protocol.record_batch.batch import batches, records
from protocol.record_batch.control import end_txn_marker
from protocol.record_batch.record import Record
from tests.simulation.connections import Connections
from tests.simulation.rules import Rules
from tests.simulation.transactions.marked_log import MarkedLog, Part
from tests.simulation.violation import Violation

READ_COMMITTED = 1
VERSION = 12
RETRY_MS = 100


class CommittedReader:
    """Reads one partition from the start, and checks what it delivers."""

    def __init__(self, connections: Connections, rules: Rules, log: MarkedLog, seed: int) -> None:
        self._connections = connections
        self._rules = rules
        self._log = log
        self._random = Random(f"reader {seed} {log.key}")
        self._position = 0
        self._delivered: list[Record] = []
        self.is_over = False
        self.is_running = True

    async def run(self) -> None:
        """Fetch until the reader is over and has everything."""
        while not (self.is_over and self._position >= self._rules.committed[self._log.key].end):
            await self._fetch()
        self.is_running = False

    def check_all_delivered(self) -> None:
        """Raise `Violation` unless it has delivered all visible records, once and in order."""
        self._log.catch_up()
        delivered = [record.offset for record in self._delivered]
        got, start = set(delivered), self._rules.log_start(self._log.key)
        # Records below the log start may have been deleted before they were read.
        visible = [
            record.offset
            for record in self._log.visible()
            if record.offset >= start or record.offset in got
        ]
        if delivered != visible:
            differing = got ^ set(visible)
            raise Violation(
                f"{self._log.key}: a reader with read_committed delivered other records than the "
                f"committed ones, at {sorted(differing) or delivered}"
            )

    async def _fetch(self) -> None:
        key = self._log.key
        partition = FetchPartition(
            partition=key.partition,
            fetch_offset=self._position,
            partition_max_bytes=self._random.choice((1, 300, 1 << 20)),
        )
        request = FetchRequest(
            max_wait_ms=self._random.choice((100, 500)),
            min_bytes=1,
            isolation_level=READ_COMMITTED,
            topics=[FetchTopic(topic=key.topic, partitions=[partition])],
        )
        node_id = self._connections.leader(key)
        text = f"fetch committed {key} from {self._position}"
        answer = await self._connections.exchange(text, request, VERSION, node_id, is_counted=False)
        if answer is not None:
            [topic] = answer.response.responses
            [data] = topic.partitions
            aborted = [
                (each.producer_id, each.first_offset) for each in data.aborted_transactions or []
            ]
            self._connections.log(
                f"{answer.text}: {ErrorCode(data.error_code).name}, {len(data.records or b'')} "
                f"bytes, last stable offset {data.last_stable_offset}, aborted "
                f"{aborted}"
            )
            if not data.error_code and data.records:
                self._deliver(answer.text, data)
                return
            if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
                self._position = max(self._position, self._rules.log_start(key))
        await trio.sleep(RETRY_MS / 1000)

    def _deliver(self, text: str, data: PartitionData) -> None:
        self._rules.check_all()
        self._log.catch_up()
        found = data.records or b""
        begun = sorted(
            (each.first_offset, each.producer_id) for each in data.aborted_transactions or []
        )
        aborted: set[int] = set()
        for start, header in batches(found):
            if header.last_offset >= data.last_stable_offset:
                raise Violation(f"{text}: a batch above the last stable offset was sent")
            while begun and begun[0][0] <= header.last_offset:
                aborted.add(begun.pop(0)[1])
            if header.is_control:
                marker = end_txn_marker(found[start : start + header.size])
                if marker is not None and marker.is_abort:
                    aborted.discard(header.producer_id)
            elif not (header.is_transactional and header.producer_id in aborted):
                for record in records(found, start):
                    self._deliver_record(text, record)
            self._position = max(self._position, header.next_offset)

    def _deliver_record(self, text: str, record: Record) -> None:
        if record.offset < self._position:
            return
        part = self._log.hidden_by(record.offset)
        if part is not None and not self._is_decided(part):
            raise Violation(
                f"{text}: {record.value!r} at {record.offset} is delivered, but its transaction is "
                "aborted or open"
            )
        self._delivered.append(record)

    def _is_decided(self, part: Part) -> bool:
        """Whether the leader has a marker that is not replicated, and does not know that.

        See `stable_offsets`. Whether it commits is checked when everything is replicated.
        """
        return part.marker is None and self._rules.has_marker(
            self._log.key, part.producer_id, part.first
        )
