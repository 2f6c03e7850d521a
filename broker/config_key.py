"""What is known of a configuration key; the keys themselves are in `broker.config_keys`."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config_kinds import Kind, Value


@dataclass(frozen=True, slots=True)
class Key:
    """A configuration key: its kind of value, and what it does in a sentence."""

    name: str
    kind: Kind
    documentation: str
    # Kafka's default where ours differs, and why it does.
    kafka_default: Value = None
    because: str | None = None
