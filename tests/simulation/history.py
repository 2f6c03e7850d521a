"""What clients sent and what they were told, for the reckoning at the end of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from broker.common.topic_partition import TopicPartition


@dataclass(eq=False)
class Sent:
    """A batch: its values, and the offset that an answer has told, if one has.

    ``acknowledged``: without an error, and with acks=all, so that it may never be lost;
    ``refused``: with the error that says that nothing was written, and not sent again.
    """

    key: TopicPartition
    values: tuple[bytes, ...]
    acks: int
    base_offset: int | None = None
    acknowledged: bool = False
    refused: bool = False


@dataclass
class History:
    """Everything sent, and a line for everything that happened."""

    sent: list[Sent] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    _values: int = 0

    def tell(self, now_ms: float, text: str) -> None:
        """Note what happens."""
        self.lines.append(f"{now_ms:9.1f}  {text}")

    def send(self, key: TopicPartition, count: int, acks: int) -> Sent:
        """A batch of values that nobody has sent before."""
        values = tuple(b"%d" % (self._values + index) for index in range(count))
        self._values += count
        self.sent.append(Sent(key, values, acks))
        return self.sent[-1]
