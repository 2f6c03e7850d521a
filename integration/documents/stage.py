"""A cluster in the state that the documented commands of a running broker expect.

Three nodes that record, clients that produce and consume, and for some commands a preparation.
After each command the nodes and the clock run again, and no fault rule is set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from confluent_kafka import Consumer, ShareConsumer
from kafka import KafkaProducer

from antechamber import Cluster
from antechamber.admin_client import AdminClient
from integration.documents.commands import ROOT
from integration.documents.share_member import member_with_records
from integration.documents.streams_members import StreamsMembers

WITHIN_S = 60.0
# As the how-to names them.
_STREAMS_MEMBERS = ("WR85ajGFS2GBNOCr83eMEQ", "9zsdAZipTTyvdBEi5Tu_Ig")
_RULE = re.compile(r"`rule\.json` may contain:\n\n```json\n(.*?)```", re.DOTALL)


class Stage:
    """The running cluster and its clients; commands run in *folder*."""

    def __init__(self, kafka: Cluster, folder: Path) -> None:
        self.kafka = kafka
        self.folder = folder
        self._is_marked = False
        self._rule = 1
        self._member: ShareConsumer | None = None
        self._streams: StreamsMembers | None = None
        self._producer = KafkaProducer(
            bootstrap_servers=kafka.bootstrap, client_id="billing", acks="all"
        )
        for topic in ("orders", "t"):
            for _ in range(5):
                self._producer.send(topic, b"one", partition=0).get(timeout=WITHIN_S)
        self._ended = Event()
        self._consumer = Thread(target=self._consume)
        self._consumer.start()
        kafka.wait_committed("g", "t", timeout=WITHIN_S)
        kafka.wait_parked("Fetch", timeout=WITHIN_S)
        [rule] = _RULE.findall((ROOT / "docs" / "reference" / "admin.md").read_text())
        (folder / "rule.json").write_text(rule)

    def _consume(self) -> None:
        settings = {"bootstrap.servers": self.kafka.bootstrap, "group.id": "g"}
        consumer = Consumer({**settings, "auto.offset.reset": "earliest"})
        consumer.subscribe(["t"])
        while not self._ended.is_set():
            if consumer.poll(0.1) is not None:
                consumer.commit()
        consumer.close()

    def close(self) -> None:
        """End the clients."""
        self._ended.set()
        self._consumer.join()
        self._producer.close()

    # ------------------------------------------------------------------------- preparations

    @contextmanager
    def prepared(self, command: str) -> Iterator[str]:
        """Prepare what *command* needs, and restore the cluster after it.

        The result is the command, with the id of a rule that exists.
        """
        for pattern, prepare in _PREPARATIONS.items():
            if re.search(pattern, command):
                prepare(self)
        try:
            yield command.replace("remove 1", f"remove {self._rule}")
        finally:
            self.restore()

    def park_a_produce(self) -> None:
        """Send a record that node 3 does not replicate."""
        self.kafka.pause(3)
        self._producer.send("orders", b"one", partition=0)
        self.kafka.wait_parked("Produce", topic="orders", timeout=WITHIN_S)

    def pause(self) -> None:
        """Pause node 3, as an earlier command has."""
        self.kafka.pause(3)

    def stop(self) -> None:
        """Stop node 3, as an earlier command has."""
        self.kafka.stop(3)

    def mark(self) -> None:
        """Make the first mark, unless it is made."""
        if not self._is_marked:
            self._is_marked = self.kafka.mark() is not None

    def add_a_rule(self) -> None:
        """Set the fault rule that the command removes."""
        self._rule = self.kafka.faults.add("close", api="AlterConfigs").id

    def hold_records(self) -> None:
        """Let a member of a share group acquire records."""
        self._producer.send("orders", b"one", partition=0).get(timeout=WITHIN_S)
        self._member = member_with_records(self.kafka, "workers", "orders")

    def run_streams(self) -> None:
        """Let two members of a streams group process four partitions."""
        self._streams = StreamsMembers(
            self.kafka.bootstrap, "counter", _STREAMS_MEMBERS, ("orders", "t")
        )

    def restore(self) -> None:
        """Run all nodes and the clock, remove fault rules, and end the members of groups."""
        if self._member is not None:
            self._member.close()
            self._member = None
        if self._streams is not None:
            self._streams.close()
            self._streams = None
        self.kafka.clock.run()
        AdminClient(self.kafka.admin).call("DELETE", "/v1/faults")
        for node in self.kafka.cluster()["nodes"]:
            if node["state"] == "paused":
                self.kafka.resume(node["id"])
            elif node["state"] == "stopped":
                self.kafka.start(node["id"])
        self.kafka.wait_in_sync(timeout=WITHIN_S)


_PREPARATIONS: dict[str, Callable[[Stage], None]] = {
    r"wait(\?for=| )parked.*Produce": Stage.park_a_produce,
    r"fault resume 3": Stage.pause,
    r"fault start 3": Stage.stop,
    r"fault remove 1": Stage.add_a_rule,
    r"--since mark-1": Stage.mark,
    r"wait share-|explain --api ShareFetch": Stage.hold_records,
    r"--group counter|--api StreamsGroupHeartbeat$|9zsdAZipTTyvdBEi5Tu_Ig": Stage.run_streams,
}


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """Start the cluster and its clients."""
    topics = ["orders:3:3", "t:1:2"]
    with Cluster(brokers=3, topics=topics, records=str(folder / "waits.jsonl")) as kafka:
        made = Stage(kafka, folder)
        try:
            yield made
        finally:
            made.restore()
            made.close()
