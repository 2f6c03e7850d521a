"""The claims of JSON web tokens."""

from __future__ import annotations

import pytest

from broker.security.sasl.bearer import InvalidToken
from broker.security.sasl.claims import decoded_part, list_claim, text_claim, time_claim


def test_a_part_is_json_in_base64() -> None:
    """Without padding."""
    assert decoded_part("eyJhIjoxfQ") == {"a": 1}


@pytest.mark.parametrize("text", ["!", "e30x", "W10", "W" * 5, "", "eyJhIjpOYU59", "e30geA"])
def test_another_part_is_invalid(text: str) -> None:
    """Bytes, JSON that is not an object, NaN, or an object with bytes after it."""
    with pytest.raises(InvalidToken):
        decoded_part(text)


def test_deeply_nested_json_is_invalid() -> None:
    """No other exception is raised."""
    import base64

    with pytest.raises(InvalidToken):
        decoded_part(base64.urlsafe_b64encode(b"[" * 100_000).decode())


@pytest.mark.parametrize("value", [None, "", " ", 1, ["a"]])
def test_a_name_is_a_text(value: object) -> None:
    """It is not blank."""
    assert text_claim({"sub": "a"}, "sub") == "a"
    with pytest.raises(InvalidToken):
        text_claim({"sub": value}, "sub")


@pytest.mark.parametrize("value", ["1", True, [1], 1e300])
def test_a_time_is_a_number(value: object) -> None:
    """It may have a fraction, and may be absent."""
    assert time_claim({"exp": 1.79e9}, "exp") == 1.79e12
    assert time_claim({}, "exp") is None
    with pytest.raises(InvalidToken):
        time_claim({"exp": value}, "exp")


def test_a_text_is_a_list_of_one() -> None:
    """Blanks do not separate it."""
    assert list_claim({"scope": "a b"}, "scope") == ["a b"]
    assert list_claim({"scope": ["a", "b"]}, "scope") == ["a", "b"]
    assert list_claim({}, "scope") == []
    assert list_claim({"scope": " "}, "scope") == []
    with pytest.raises(InvalidToken):
        list_claim({"scope": [1]}, "scope")
