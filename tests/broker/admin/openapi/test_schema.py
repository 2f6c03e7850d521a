"""JSON schemas: what they allow."""

from __future__ import annotations

from jsonschema import Draft202012Validator

from broker.admin.openapi.schema import (
    COUNTS,
    INTEGER,
    STRING,
    Schema,
    array,
    described,
    nullable,
    one_of,
    record,
)


def allows(schema: Schema, value: object) -> bool:
    """Whether *value* is valid."""
    Draft202012Validator.check_schema(schema)
    return bool(Draft202012Validator(schema).is_valid(value))


def test_a_record_has_its_required_fields() -> None:
    """Optional fields may be absent, and unknown ones are ignored."""
    schema = record({"more": STRING}, id=INTEGER)

    assert allows(schema, {"id": 1})
    assert allows(schema, {"id": 1, "more": "x", "later": 2})
    assert not allows(schema, {"more": "x"})
    assert not allows(schema, {"id": 1, "more": 2})


def test_a_nullable_value_may_be_null() -> None:
    """Others have their type."""
    assert allows(nullable(INTEGER), None)
    assert allows(nullable(INTEGER), 3)
    assert not allows(nullable(INTEGER), "3")


def test_lists_counts_and_choices_have_their_elements() -> None:
    """A description has no effect."""
    assert allows(array(INTEGER), [1, 2])
    assert not allows(array(INTEGER), ["1"])
    assert allows(COUNTS, {"Fetch": 1})
    assert not allows(COUNTS, {"Fetch": "1"})
    assert allows(described(one_of("a", "b"), "a letter"), "a")
    assert not allows(one_of("a", "b"), "c")
