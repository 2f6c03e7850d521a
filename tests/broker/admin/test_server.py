"""To whom the admin listener answers."""

from __future__ import annotations

from broker.admin.server import gate


def test_loopback_answers_to_its_names() -> None:
    """localhost and both loopback addresses, with the port."""
    assert gate(("127.0.0.1", 1), None).hosts == frozenset(
        {"127.0.0.1:1", "localhost:1", "[::1]:1"}
    )


def test_an_address_answers_to_itself_only() -> None:
    """Off loopback the Host must be the address, and the token is asked for too."""
    assert gate(("10.0.0.5", 1), "t").hosts == frozenset({"10.0.0.5:1"})


def test_all_addresses_answer_to_any_name_with_the_token() -> None:
    """Behind 0.0.0.0 stand names nobody here knows, such as a container's."""
    assert gate(("0.0.0.0", 1), "t").hosts is None
