"""The patterns by which lines of a request log are read."""

from __future__ import annotations

import re

import pytest

from pipeline.request_log.conversion import CLIENT_PORT, OFFSET, OUR_NODE, STAMP


@pytest.mark.parametrize(
    ("connection", "port"),
    [
        ("127.0.0.1:9092-127.0.0.1:51000-2", "51000"),
        ("127.0.0.1:9092-127.0.0.1:51000-0-2", "51000"),
        ("0:0:0:0:0:0:0:1:9092-0:0:0:0:0:0:0:1:51000-0-2", "51000"),
        ("broker-1.example:9092-10.0.0.9:51000-12-345", "51000"),
        ("node-3:0-connection:17-0-0", "17"),
    ],
)
def test_the_port_of_the_client(connection: str, port: str) -> None:
    """It is the last one, before the index of the connection and, if given, of the processor."""
    found = re.search(CLIENT_PORT, connection)

    assert found is not None
    assert found[1] == port


def test_the_node_is_in_our_own_log() -> None:
    """Kafka's log has the address of the broker in its place."""
    found = re.search(OUR_NODE, "node-3:0-connection:17-0-0")

    assert found is not None
    assert found[1] == "3"
    assert re.search(OUR_NODE, "10.0.0.1:9092-10.0.0.9:51000-0-2") is None


@pytest.mark.parametrize(
    ("prefix", "stamp", "has_offset"),
    [
        ("[2026-11-21 09:00:00,338] DEBUG ", "2026-11-21 09:00:00,338", False),
        ("2026-11-21T09:00:00.338Z stdout F ", "2026-11-21T09:00:00.338Z", True),
        ("2026-11-21 09:00:00 +0100 x", "2026-11-21 09:00:00 +0100", True),
        ("[2026-11-21T09:00:00,338+01:00]", "2026-11-21T09:00:00,338+01:00", True),
    ],
)
def test_the_time_before_the_object(prefix: str, stamp: str, has_offset: bool) -> None:
    """A fraction and an offset are optional."""
    found = re.search(STAMP, prefix)

    assert found is not None
    assert found[0] == stamp
    assert bool(re.search(OFFSET, stamp.replace(",", "."))) is has_offset
