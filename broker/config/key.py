"""The declaration of a configuration key (Kafka's ``ConfigDef.ConfigKey``).

A key that this broker uses is declared once, as a field of one of the classes in
`broker.config.keys`; `key` is the field's default there. A key that only Kafka uses is declared in
`broker.config.unused`, with the reason why it has no effect here.
"""

from __future__ import annotations

from dataclasses import field, fields
from enum import Enum
from functools import cache
from typing import Any, Final

from broker.config.kinds import ConfigType, Kind, Value
from protocol.lazy_dataclass import dataclass

METADATA = "key"


class UpdateMode(Enum):
    """How a broker key may change while the broker runs (``DynamicBrokerConfig``)."""

    READ_ONLY = "read-only"
    PER_BROKER = "per-broker"  # for one node only
    CLUSTER_WIDE = "cluster-wide"  # for one node or for all nodes


@dataclass(frozen=True, slots=True)
class Unused:
    """Why keys of Kafka have no effect here.

    A start with a key that has ``advice`` fails with that message, since the broker cannot do what
    the key requests. Other keys are accepted with a warning.
    """

    reason: str
    advice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, its kind of value, its default, and its meaning in one sentence."""

    name: str
    kind: Kind
    default: Value
    documentation: str
    update_mode: UpdateMode = UpdateMode.READ_ONLY
    # DescribeConfigs leaves it out (``ConfigDef.defineInternal``).
    internal: bool = False
    # Read by the class that another key names: DescribeConfigs returns it only if it is set, and
    # as an unknown key.
    of_plugin: bool = False
    # Kafka's default where this broker has another one, and the reason.
    kafka_default: Value = None
    reason: str | None = None
    # Whether it changes only for one listener: TLS settings.
    per_listener: bool = False
    unused: Unused | None = None


def key(
    name: str,
    kind: Kind,
    default: Value,
    documentation: str,
    *,
    update_mode: UpdateMode = UpdateMode.READ_ONLY,
    internal: bool = False,
    of_plugin: bool = False,
    kafka_default: Value = None,
    reason: str | None = None,
    per_listener: bool = False,
) -> Any:
    """Declare a key as a dataclass field, whose name must be ``attribute(name)``."""
    declared = Key(
        name=name,
        kind=kind,
        default=default,
        documentation=documentation,
        update_mode=update_mode,
        internal=internal,
        of_plugin=of_plugin,
        kafka_default=kafka_default,
        reason=reason,
        per_listener=per_listener,
    )
    is_shown = kind.config_type is not ConfigType.PASSWORD  # the text of a `Config` may be logged
    return field(default=default, repr=is_shown, metadata={METADATA: declared})


def declared_in(theme: type) -> tuple[Key, ...]:
    """The keys that the fields of a dataclass declare, in order."""
    declared: list[Key] = [
        each.metadata[METADATA] for each in fields(theme) if METADATA in each.metadata
    ]
    return tuple(declared)


@cache
def attribute(name: str) -> str:
    """The attribute that holds the value of a key."""
    return name.replace(".", "_")


@dataclass(frozen=True, slots=True)
class UnusedKeys:
    """Declares keys that have no effect for the same reason."""

    unused: Unused

    def __call__(
        self,
        name: str,
        kind: Kind,
        default: Value,
        update_mode: UpdateMode = UpdateMode.READ_ONLY,
        *,
        internal: bool = False,
        per_listener: bool = False,
    ) -> Key:
        """Declare a key."""
        return Key(
            name=name,
            kind=kind,
            default=default,
            documentation=f"No effect: {self.unused.reason}.",
            update_mode=update_mode,
            internal=internal,
            per_listener=per_listener,
            unused=self.unused,
        )


def no_effect(reason: str, *, advice: str | None = None) -> UnusedKeys:
    """Returns a function that declares keys which have no effect for this *reason*."""
    return UnusedKeys(Unused(reason, advice))


CLUSTER_WIDE: Final = UpdateMode.CLUSTER_WIDE
PER_BROKER: Final = UpdateMode.PER_BROKER
