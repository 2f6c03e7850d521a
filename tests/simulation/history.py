"""The sent batches and their responses, for the check at the end of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from broker.common.topic_partition import TopicPartition


@dataclass(eq=False)
class Sent:
    """A batch: its values, and the offset in its response, if any.

    ``acknowledged``: without error and with acks=all, so that it must not be lost. ``refused``:
    with an error that means that nothing was written, and not sent again.
    """

    key: TopicPartition
    values: tuple[bytes, ...]
    acks: int
    base_offset: int | None = None
    acknowledged: bool = False
    refused: bool = False


@dataclass
class History:
    """All sent batches, and a log line for each event."""

    sent: list[Sent] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    _values: int = 0

    def log(self, now_ms: float, text: str) -> None:
        """Add a log line."""
        self.lines.append(f"{now_ms:9.1f}  {text}")

    def send(self, key: TopicPartition, count: int, acks: int) -> Sent:
        """A batch of new values."""
        self.sent.append(self.send_temporarily(key, count, acks))
        return self.sent[-1]

    def send_temporarily(self, key: TopicPartition, count: int, acks: int) -> Sent:
        """A batch of new values for a topic that will be deleted."""
        values = tuple(b"%d" % (self._values + index) for index in range(count))
        self._values += count
        return Sent(key, values, acks)
