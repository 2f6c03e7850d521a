"""Random messages, generated from the fields of a class."""

from __future__ import annotations

import dataclasses
import random
import uuid
from typing import Any, get_args, get_origin

from protocol.fields import fields_of, wire_type
from protocol.schema import Fixed, Sized, Uuid

_BITS = {"b": 8, "h": 16, "i": 32, "q": 64}


def random_message(rng: random.Random, cls: Any, version: int) -> Any:
    """A message (or struct) with a random value for every field of *version*."""
    plain, tagged = fields_of(cls, version)
    values = {}
    for field in plain:
        values[field.name] = _value(rng, field.hint, field.nullable, version)
    for field in tagged.values():
        if rng.random() < 0.7:
            values[field.name] = _value(rng, field.hint, field.nullable, version)
    present = values.keys()
    for other in dataclasses.fields(cls):
        required = (
            other.default is dataclasses.MISSING and other.default_factory is dataclasses.MISSING
        )
        assert not required or other.name in present, f"{cls.__name__}.{other.name} has no default"
    return cls(**values)


def _value(rng: random.Random, hint: Any, nullable: bool, version: int) -> Any:
    if nullable and rng.random() < 0.2:
        return None
    if get_origin(hint) is list:
        inner, inner_nullable = wire_type(get_args(hint)[0])
        return [_value(rng, inner, inner_nullable, version) for _ in range(rng.randrange(4))]
    match hint:
        case Fixed("?"):
            return rng.random() < 0.5
        case Fixed("d"):
            return rng.uniform(-1e9, 1e9)
        case Fixed("H"):
            return rng.randrange(1 << 16)
        case Fixed(fmt):
            bits = _BITS[fmt]
            return rng.randrange(-(1 << bits - 1), 1 << bits - 1)
        case Uuid():
            return uuid.UUID(int=rng.getrandbits(128))
        case Sized(text=True):
            return "".join(rng.choice("aZ9-_.äé漢") for _ in range(rng.choice((0, 1, 7, 200))))
        case Sized():
            return rng.randbytes(rng.choice((0, 1, 60, 3000)))
    return random_message(rng, hint, version)
