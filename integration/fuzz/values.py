"""Messages with likely, extreme or absent values, drawn from the description of their class.

Half of the names and numbers exist in the broker, so that requests pass the first checks.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Collection, Sequence
from typing import Any, get_args, get_origin
from uuid import UUID

from integration.wire.batches import Producer, batch
from protocol.fields import Field, fields_of, wire_type
from protocol.schema import Fixed, Sized, Uuid

# Topics "t" and "u" and groups of some of these names exist; "reserved" is not among them.
NAMES = ("t", "u", "g", "m", "", "consumer", "range", "uniform", "classic", "1", "client-id")
KEYS = (
    "retention.ms",
    "cleanup.policy",
    "segment.bytes",
    "min.insync.replicas",
    "consumer.session.timeout.ms",
    "consumer.heartbeat.interval.ms",
    "consumer_byte_rate",
    "request_percentage",
)
_BITS = {"b": 8, "h": 16, "i": 32, "q": 64}
_WIDE_ITEMS_MAX = 400
_LEARNED_TEXT_MAX = 1000
_TEXTS = (
    *("\0", "\x1b[2J", "a\r\nb", "\u202e", "../..", "é" * 200),
    *("x" * size for size in (249, 250, 32_766, 32_767)),
    "k" * 5000,
)


class Drawing:
    """Draws messages; *extreme* is the percentage of values at the end of their type.

    *spared* values of responses are not used: names and ids of the valid client.
    """

    def __init__(
        self, chance: random.Random, extreme: int = 10, *, spared: Collection[object] = ()
    ) -> None:
        self.chance = chance
        self._extreme = extreme / 100
        self._spared = spared
        # Values of responses: member ids, topic ids, producer ids, sessions.
        self.seen_texts: list[str] = list(NAMES)
        self.keys: Sequence[str] = KEYS
        self.odd_texts: Sequence[str] = _TEXTS
        self.seen_uuids: list[UUID] = [UUID(int=0)]
        self.seen_numbers: list[int] = [-1, 0, 1, 2, 3, 6000]

    def message(self, cls: Any, version: int) -> Any:
        """Draw a message, or a struct of one, with every field of *version*."""
        plain, tagged = fields_of(cls, version)
        values = {field.name: self.field(field, version) for field in plain}
        for field in tagged.values():
            if self.chance.random() < 0.5:
                values[field.name] = self.field(field, version)
        return cls(**values)

    def learn(self, response: Any) -> None:
        """Keep some of the values of a response for later requests."""
        for field in dataclasses.fields(response):
            self._learn(getattr(response, field.name))

    def _learn(self, value: Any) -> None:
        if isinstance(value, list):
            for item in value[:3]:
                self._learn(item)
        elif value.__hash__ is not None and value in self._spared:
            return
        elif dataclasses.is_dataclass(value):
            self.learn(value)
        elif isinstance(value, str) and len(value) < _LEARNED_TEXT_MAX:
            _remember(self.chance, self.seen_texts, value)
        elif isinstance(value, UUID):
            _remember(self.chance, self.seen_uuids, value)
        elif isinstance(value, int) and not isinstance(value, bool):
            _remember(self.chance, self.seen_numbers, value)

    def field(self, field: Field, version: int) -> Any:
        """Draw a value of a field."""
        return self._value(field.hint, field.nullable, version)

    def _value(self, hint: Any, nullable: bool, version: int) -> Any:
        chance = self.chance
        if nullable and chance.random() < 0.2:
            return None
        if get_origin(hint) is list:
            inner, inner_nullable = wire_type(get_args(hint)[0])
            return [self._value(inner, inner_nullable, version) for _ in range(self._width())]
        match hint:
            case Fixed("?"):
                return chance.random() < 0.5
            case Fixed("d"):
                return chance.choice((0.0, -1.0, 1e-300, 1e300, float("nan"), float("inf"), 1e9))
            case Fixed(format_):
                return self._number(format_)
            case Uuid():
                return chance.choice((*self.seen_uuids, UUID(int=chance.getrandbits(128))))
            case Sized(text=True):
                return self._text()
            case Sized():
                return self._bytes()
        return self.message(hint, version)

    def _width(self) -> int:
        if self.chance.random() < self._extreme / 10:
            return self.chance.randrange(_WIDE_ITEMS_MAX)
        return self.chance.randrange(4)

    def _number(self, format_: str) -> int:
        chance = self.chance
        unsigned = format_.isupper()
        bits = _BITS[format_.lower()]
        low, high = (0, 1 << bits) if unsigned else (-(1 << bits - 1), 1 << bits - 1)
        if chance.random() < self._extreme:
            return chance.choice((low, low + 1, high - 1, high - 2, chance.randrange(low, high)))
        return min(max(chance.choice(self.seen_numbers), low), high - 1)

    def _text(self) -> str:
        chance = self.chance
        if chance.random() < self._extreme:
            return chance.choice(self.odd_texts)
        return chance.choice(self.seen_texts if chance.random() < 0.8 else self.keys)

    def _bytes(self) -> bytes:
        chance = self.chance
        if chance.random() < 0.3:
            return chance.randbytes(chance.choice((0, 1, 60, 3000)))
        producer = Producer(*(chance.choice((-1, 0, 1, 5)) for _ in range(3)))
        return batch(
            [chance.randbytes(chance.randrange(40))] * chance.randint(1, 3), producer=producer
        )


def _remember(chance: random.Random, seen: list[Any], value: Any) -> None:
    """Keep *value* in a list of bounded length; the first ten remain."""
    if len(seen) < 200:
        seen.append(value)
    else:
        seen[chance.randrange(10, 200)] = value
