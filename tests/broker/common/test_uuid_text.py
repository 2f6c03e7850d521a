"""The text of UUIDs."""

from __future__ import annotations

from uuid import UUID

import pytest

from broker.common.uuid_text import parse_uuid, uuid_text

UUID_OF_TEXT = UUID("fbff7c00-0000-0000-0000-0000000000ff")
TEXT = "-_98AAAAAAAAAAAAAAAA_w"


def test_the_text_of_a_uuid() -> None:
    """It is safe in a URL and has no padding."""
    assert uuid_text(UUID_OF_TEXT) == TEXT


def test_the_uuid_of_a_text() -> None:
    """It is the one that has this text."""
    assert parse_uuid(TEXT) == UUID_OF_TEXT


@pytest.mark.parametrize("text", ["", "AAAA", TEXT[:-1], f"{TEXT}AA"])
def test_a_text_of_another_length(text: str) -> None:
    """It is no UUID."""
    with pytest.raises(ValueError):  # noqa: PT011 - binascii and UUID have different messages
        parse_uuid(text)
