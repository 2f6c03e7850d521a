"""The declaration of a topic's configuration key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from broker.config.kinds import Kind, Value
from broker.config.table import KEYS

METADATA = "topic key"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicKey:
    """A key of a topic: the broker's keys behind it, each with what its value is multiplied by.

    A key without a broker's key behind it has a ``default``. ``idle`` says why a key has no effect.
    """

    name: str
    synonyms: tuple[tuple[str, int], ...] = ()
    # The range, where it is not that of the first synonym.
    own_kind: Kind | None = None
    default: Value = None
    idle: str | None = None

    @property
    def kind(self) -> Kind:
        """The kind of its values."""
        return self.own_kind or KEYS[self.synonyms[0][0]].kind

    @property
    def documentation(self) -> str:
        """What it means, in a sentence."""
        if self.idle is not None:
            return f"No effect: {self.idle}."
        return KEYS[self.synonyms[0][0]].documentation


def topic_key(name: str, *behind: str | tuple[str, int], kind: Kind | None = None) -> Any:
    """Declare a key as the field of a dataclass, whose name is ``attribute(name)``."""
    synonyms = tuple((each, 1) if isinstance(each, str) else each for each in behind)
    declared = TopicKey(name=name, synonyms=synonyms, own_kind=kind)
    return field(metadata={METADATA: declared})
