"""Kafka's own schemas, and how our messages are compared with them.

kafka-python contains most of them in its wheel; the others are in Kafka's jars, which tests in
integration/ read.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from protocol.fields import fields_of, wire_type
from protocol.schema import FOREVER, ZERO_UUID, Fixed, Sized, Uuid

_FIXED = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "int64": "q",
    "float64": "d",
}
# Kafka 4.3 does not serve the newest version of these: its schema marks it as unstable.
_UNSTABLE = {"InitProducerId": 6}

# The APIs that kafka-python does not have.
ONLY_IN_KAFKAS_JARS = (
    "ShareGroupHeartbeat",
    "ShareGroupDescribe",
    "ShareFetch",
    "ShareAcknowledge",
    "InitializeShareGroupState",
    "ReadShareGroupState",
    "WriteShareGroupState",
    "DeleteShareGroupState",
    "ReadShareGroupStateSummary",
    "DescribeShareGroupOffsets",
    "AlterShareGroupOffsets",
    "DeleteShareGroupOffsets",
    "StreamsGroupHeartbeat",
    "StreamsGroupDescribe",
    "ConsumerGroupDescribe",
    "ConsumerGroupHeartbeat",
    "CreateDelegationToken",
    "DescribeDelegationToken",
    "ExpireDelegationToken",
    "RenewDelegationToken",
    "UnregisterBroker",
    "AddRaftVoter",
    "RemoveRaftVoter",
)


def is_known_to_kafka_python(cls: Any) -> bool:
    """Whether kafka-python has the schema of a request or a response."""
    return not cls.__name__.startswith(ONLY_IN_KAFKAS_JARS)


class Line(NamedTuple):
    """A field on the wire: its path, its type, whether null is legal, its tag."""

    path: str
    kind: str
    nullable: bool
    tag: int | None


def parse(text: str) -> Any:
    """Parse a schema file, which is JSON with comments."""
    return json.loads(re.sub(r"^\s*//.*$|\s//\s.*$", "", text, flags=re.MULTILINE))


def assert_same_fields(cls: Any, schema: Any) -> None:
    """Names, types, order, nullability and tags agree in every version."""
    common = _common(schema)
    for version in cls.__spec__.versions:
        theirs = list(_theirs(schema["fields"], common, version))
        assert list(_ours(cls, version)) == theirs, f"v{version}"


def assert_same_versions(cls: Any, schema: Any) -> None:
    """API key, range of versions and first flexible version agree."""
    spec, span = cls.__spec__, _span(schema["validVersions"])
    last = span[-1]
    for name, unstable in _UNSTABLE.items():
        if cls.__name__.startswith(name):
            last = unstable - 1

    assert spec.key == schema["apiKey"]
    assert spec.versions == range(span[0], last + 1)
    flexible = _span(schema["flexibleVersions"])
    assert spec.flexible == (flexible[0] if flexible else FOREVER)


def assert_same_defaults(cls: Any, schema: Any) -> None:
    """A field that may be absent has the same default on both sides."""
    for path, ours, theirs in _defaults(cls, schema["fields"], _common(schema), cls.__name__):
        assert ours == theirs or (ours is None and theirs in _NULL_INSTEAD), path
        assert type(ours) is type(theirs) or ours is None, path


def _span(text: str | None) -> range:
    if text in (None, "none"):
        return range(0)
    first, _, last = str(text).rstrip("+").partition("-")
    return range(int(first), FOREVER if text.endswith("+") else int(last or first) + 1)


def _snake(name: str) -> str:
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).lower()


def _theirs(fields: Any, common: Any, version: int, path: str = "") -> Iterator[Line]:
    """Plain fields in order, then tagged ones by tag."""
    here = [field for field in fields if version in _versions(field)]
    for field in sorted(here, key=lambda field: field.get("tag", -1)):
        name = f"{path}{_snake(field['name'])}"
        tag = field.get("tag") if version in _span(field.get("taggedVersions")) else None
        kind, is_array = field["type"].removeprefix("[]"), field["type"].startswith("[]")
        inner = _inner(field, common)
        shown = "struct" if inner else _FIXED.get(kind, kind)
        nullable = version in _span(field.get("nullableVersions"))
        yield Line(name, f"[{shown}]" if is_array else shown, nullable, tag)
        if inner:
            yield from _theirs(inner, common, version, f"{name}.")


def _versions(field: Any) -> range:
    """The versions of a field; if they are not given, those in which it is tagged."""
    return _span(field.get("versions", field.get("taggedVersions")))


def _common(schema: Any) -> dict[str, Any]:
    """The fields of the structs that a message uses in several places."""
    return {each["name"]: each["fields"] for each in schema.get("commonStructs", [])}


def _inner(field: Any, common: Any) -> Any:
    """The fields of the struct that a field is, or is an array of."""
    return field.get("fields") or common.get(field["type"].removeprefix("[]"))


def _ours(cls: Any, version: int, path: str = "") -> Iterator[Line]:
    plain, tagged = fields_of(cls, version)
    for tag, field in [*((None, field) for field in plain), *sorted(tagged.items())]:
        hint, name = field.hint, f"{path}{field.name}"
        if is_array := get_origin(hint) is list:
            hint, _ = wire_type(get_args(hint)[0])
        kind = _kind(hint)
        # A tagged struct of ours is None when absent; that is not null on the wire.
        absent = kind == "struct" and not is_array and tag is not None and not field.is_spelt
        nullable = field.nullable and not absent
        yield Line(name, f"[{kind}]" if is_array else kind, nullable, tag)
        if kind == "struct":
            yield from _ours(hint, version, f"{name}.")


def _kind(hint: Any) -> str:
    match hint:
        case Fixed(fmt):
            return fmt
        case Uuid():
            return "uuid"
        case Sized(text=True):
            return "string"
        case Sized(spliced=True):
            return "records"
        case Sized():
            return "bytes"
    return "struct"


# Kafka's generated classes have these defaults where null is legal, and its broker sends null
# there: no error message, no aborted transactions, a tagged struct that is not sent.
_NULL_INSTEAD: tuple[object, ...] = ("", [], "struct")


def _defaults(
    cls: Any, theirs: Any, common: Any, path: str
) -> Iterator[tuple[str, object, object]]:
    """Path, our default and Kafka's, of each field of *cls* that has a default on either side."""
    hints = get_type_hints(cls, include_extras=True)
    ours = {field.name: field for field in dataclasses.fields(cls)}
    for schema in theirs:
        name, inner = _snake(schema["name"]), _inner(schema, common)
        if (field := ours.get(name)) is None:
            continue  # a field of versions that are no longer served
        where = f"{path}.{name}"
        if field.default_factory is not dataclasses.MISSING:
            yield where, field.default_factory(), _default(schema, common)
        elif field.default is not dataclasses.MISSING or "default" in schema:
            yield where, field.default, _default(schema, common)
        if inner:
            hint, _ = wire_type(hints[name])
            item, _ = wire_type(get_args(hint)[0]) if get_origin(hint) is list else (hint, False)
            yield from _defaults(item, inner, common, where)


def _default(schema: Any, common: Any) -> object:
    """A field's default from its schema, or else the zero of its type."""
    text, kind = str(schema.get("default", "")), schema["type"]
    if text == "null":
        return None
    if _inner(schema, common) or kind.startswith("[]"):
        return [] if kind.startswith("[]") else "struct"
    match kind:
        case "string":
            return text
        case "bool":
            return text.lower() == "true"
        case "uuid":
            return ZERO_UUID
    return int(text or "0", 0)
