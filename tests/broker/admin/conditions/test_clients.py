"""Waiting until a client is connected, or has no connection left."""

from __future__ import annotations

from broker.admin.conditions.clients import ClientConnected, ClientGone
from tests.client_facts import open_connection
from tests.facts import FakeFacts


def test_the_connections_of_a_client_are_counted() -> None:
    """The response has them."""
    facts = FakeFacts()
    facts.open_connections = [open_connection("a"), open_connection("b", 2)]

    assert ClientConnected("a", 1).check(facts) == ({"connections": [open_connection("a")]}, [])
    assert ClientConnected("a", 2).check(facts)[1] == ["1 of 2 connections of client a"]


def test_the_connected_clients_are_the_alternatives() -> None:
    """Each with the number of its connections, and those that have sent nothing yet."""
    facts = FakeFacts()
    assert ClientConnected("a", 1).alternatives(facts) == ["no connection"]

    facts.open_connections = [
        open_connection("b"),
        open_connection("b", 2),
        open_connection(None, 3),
    ]

    assert ClientConnected("a", 1).alternatives(facts) == [
        "2 connections of client b",
        "1 connection without a client id",
    ]


def test_a_client_is_gone_without_connections() -> None:
    """Each open connection is reported."""
    facts = FakeFacts()
    facts.open_connections = [open_connection("a")]

    assert ClientGone("a").check(facts)[1] == [
        "client a is connected from 127.0.0.1:40001 to node 1"
    ]
    assert ClientGone("b").check(facts) == ({"connections": []}, [])
    assert ClientGone("a").alternatives(facts) == []
