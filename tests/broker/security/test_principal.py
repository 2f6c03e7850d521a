"""The text form of principals."""

from __future__ import annotations

import pytest

from broker.security.principal import ANONYMOUS, Principal, parse_principal, user


@pytest.mark.parametrize("text", ["User:alice", "User:CN=a,O=b:c", "Group:x", "User:", ":x"])
def test_a_principal_has_the_text_that_it_was_parsed_from(text: str) -> None:
    """Whatever the type and the name contain."""
    assert str(parse_principal(text)) == text


def test_the_name_begins_after_the_first_colon() -> None:
    """A name may contain colons."""
    assert parse_principal("User:a:b") == Principal("User", "a:b") == user("a:b")


def test_a_text_without_a_colon_is_refused() -> None:
    """The message names the text."""
    with pytest.raises(ValueError, match="'alice' is not a principal of the form Type:name"):
        parse_principal("alice")


def test_a_client_that_does_not_authenticate_is_the_user_anonymous() -> None:
    """As in Kafka, where ACLs may name it."""
    assert str(ANONYMOUS) == "User:ANONYMOUS"
