"""The declaration of a configuration key (Kafka's ``ConfigDef.ConfigKey``).

A key that this broker uses is declared once, as a field of one of the classes in
`broker.config.keys`; `key` is the field's default there. A key that only Kafka uses is declared in
`broker.config.idle`, with the reason why it has no effect here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, Final

from broker.config.kinds import Kind, Value

METADATA = "key"


class Change(Enum):
    """How a key of a broker may change while it runs (``DynamicBrokerConfig``)."""

    NEVER = "read-only"
    PER_BROKER = "per-broker"  # on one node, not for all of them
    ANYWHERE = "cluster-wide"  # on one node, or for all of them


@dataclass(frozen=True, slots=True)
class Idle:
    """Why keys of Kafka have no effect here.

    A start with a key whose ``advice`` is not None is refused with it: to go on without what the
    key asks for would mislead. Other keys are accepted with a warning.
    """

    reason: str
    advice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key: its kind of value, its default, and what it does in a sentence."""

    name: str
    kind: Kind
    default: Value
    documentation: str
    change: Change = Change.NEVER
    # DescribeConfigs leaves it out (``ConfigDef.defineInternal``).
    internal: bool = False
    # Kafka's default where ours differs, and why it does.
    kafka_default: Value = None
    because: str | None = None
    # Only for TLS settings: they change for a listener, never for all of them.
    per_listener: bool = False
    idle: Idle | None = None


def key(
    name: str,
    kind: Kind,
    default: Value,
    documentation: str,
    *,
    change: Change = Change.NEVER,
    internal: bool = False,
    kafka_default: Value = None,
    because: str | None = None,
) -> Any:
    """Declare a key as the field of a dataclass, whose name is ``attribute(name)``."""
    declared = Key(
        name=name,
        kind=kind,
        default=default,
        documentation=documentation,
        change=change,
        internal=internal,
        kafka_default=kafka_default,
        because=because,
    )
    return field(default=default, metadata={METADATA: declared})


def declared_in(theme: type) -> tuple[Key, ...]:
    """The keys that the fields of a dataclass declare, in their order."""
    declared: list[Key] = [
        each.metadata[METADATA] for each in fields(theme) if METADATA in each.metadata
    ]
    return tuple(declared)


def attribute(name: str) -> str:
    """The attribute that holds the value of a key."""
    return name.replace(".", "_")


@dataclass(frozen=True, slots=True)
class IdleKeys:
    """Declares keys that share the reason why they have no effect."""

    idle: Idle

    def __call__(
        self,
        name: str,
        kind: Kind,
        default: Value,
        change: Change = Change.NEVER,
        *,
        internal: bool = False,
        per_listener: bool = False,
    ) -> Key:
        """One of these keys."""
        return Key(
            name=name,
            kind=kind,
            default=default,
            documentation=f"No effect: {self.idle.reason}.",
            change=change,
            internal=internal,
            per_listener=per_listener,
            idle=self.idle,
        )


def no_effect(reason: str, *, advice: str | None = None) -> IdleKeys:
    """A declarer of keys that have no effect for this *reason*."""
    return IdleKeys(Idle(reason, advice))


ANYWHERE: Final = Change.ANYWHERE
PER_BROKER: Final = Change.PER_BROKER
