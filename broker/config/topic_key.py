"""The declaration of a topic's configuration key (Kafka's ``ServerTopicConfigSynonyms``)."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from broker.config.kinds import Kind, Value
from broker.config.table import KEYS
from protocol.lazy_dataclass import dataclass

METADATA = "topic key"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicKey:
    """A key of a topic.

    ``synonyms`` are the broker's keys for its default, each with a factor that converts its unit; a
    key without synonyms has a ``default``. ``unused`` is the reason why a key has no effect. Kafka
    does not describe an ``internal`` key.
    """

    name: str
    synonyms: tuple[tuple[str, int], ...] = ()
    # The kind, where it differs from that of the first synonym.
    own_kind: Kind | None = None
    default: Value = None
    unused: str | None = None
    own_documentation: str | None = None
    internal: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of its values."""
        return self.own_kind or KEYS[self.synonyms[0][0]].kind

    @property
    def documentation(self) -> str:
        """Its meaning, in one sentence."""
        if self.unused is not None:
            return f"No effect: {self.unused}."
        if self.own_documentation is not None:
            return self.own_documentation
        return KEYS[self.synonyms[0][0]].documentation


def topic_key(name: str, *synonyms: str | tuple[str, int], kind: Kind | None = None) -> Any:
    """Declare a key as a dataclass field, whose name must be ``attribute(name)``."""
    with_factors = tuple((each, 1) if isinstance(each, str) else each for each in synonyms)
    declared = TopicKey(name=name, synonyms=with_factors, own_kind=kind)
    return field(metadata={METADATA: declared})


def own_topic_key(name: str, kind: Kind, default: Value, documentation: str) -> Any:
    """Declare a key as a dataclass field, for which a broker has no key."""
    declared = TopicKey(name=name, own_kind=kind, default=default, own_documentation=documentation)
    return field(metadata={METADATA: declared})


def internal_topic_key(name: str, kind: Kind, documentation: str) -> Any:
    """Declare an internal key as a dataclass field; it has no default."""
    declared = TopicKey(name=name, own_kind=kind, own_documentation=documentation, internal=True)
    return field(metadata={METADATA: declared})
