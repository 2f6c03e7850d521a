"""The body of a request is one JSON value."""

from __future__ import annotations

import pytest

from broker.admin.json_body import parse_json
from broker.common.errors import InvalidValue


def test_a_value_is_parsed() -> None:
    """In UTF-8."""
    assert parse_json('{"name": ["ä", 1.5, null]}'.encode()) == {"name": ["ä", 1.5, None]}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "give a JSON object"),
        (b"{", "it is not JSON: Expecting"),
        (b"\xff", "it is not JSON: 'utf-8' codec"),
        (b"[" * 60_000, "it is not JSON: it is nested too deeply"),
        (b'{"a": 1, "a": 2}', "'a' is given twice"),
        (b'{"a": NaN}', "NaN is not a number that JSON has"),
        (b"1" * 5000, "it is not JSON: Exceeds the limit"),
    ],
)
def test_another_body_is_refused(body: bytes, reason: str) -> None:
    """With one sentence."""
    with pytest.raises(InvalidValue, match=r"^the body: ") as refused:
        parse_json(body)
    assert str(refused.value).startswith(f"the body: {reason}")
