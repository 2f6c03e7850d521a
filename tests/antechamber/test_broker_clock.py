"""The clock of a broker from Python."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest

from antechamber.admin_client import AdminClient, AdminError
from antechamber.broker_clock import BrokerClock
from tests.admin_server import serving
from tests.facts import FakeFacts


def test_the_clock_is_frozen_in_a_with_statement() -> None:
    """It runs afterwards, also after an exception."""
    facts, calls = FakeFacts(), list[str]()

    class Client(AdminClient):
        def adjust_clock(self, adjustment: str, **wanted: str | int | None) -> dict[str, object]:
            calls.append(adjustment)
            return super().adjust_clock(adjustment, **wanted)

    with serving(facts) as url:
        clock = BrokerClock(Client(url))
        with suppress(ValueError), clock.frozen():
            calls.append("test")
            raise ValueError

    assert calls == ["freeze", "test", "run"]


def test_a_duration_is_in_seconds_or_a_timedelta() -> None:
    """The broker gets whole milliseconds."""
    with serving(FakeFacts()) as url:
        clock = BrokerClock(AdminClient(url))

        assert clock.advance(0.0125)["advanced_ms"] == 12
        assert clock.advance(timedelta(minutes=2))["advanced_ms"] == 120_000
        assert clock.advance_to_next_task() == {"to": "task", "limit": 100}


def test_an_event_that_the_broker_does_not_know_is_refused() -> None:
    """With its reason."""
    with serving(FakeFacts()) as url:
        clock = BrokerClock(AdminClient(url))

        with pytest.raises(AdminError, match="no session of member m is running"):
            clock.advance_to_session_end("m")
        with pytest.raises(AdminError, match="transaction b is not open"):
            clock.advance_to_transaction_timeout("b")
        with pytest.raises(AdminError, match="no such request is parked"):
            clock.advance_to_request_timeout("Fetch")
        with pytest.raises(AdminError, match="t-3 has no running leader"):
            clock.advance_to_retention("t", 3)


def test_a_speed_is_written_as_a_decimal_number() -> None:
    """Never with an exponent, which the broker refuses."""
    with serving(FakeFacts()) as url:
        client = AdminClient(url)
        BrokerClock(client).run(0.001)


def test_an_invalid_duration_or_speed_names_the_argument() -> None:
    """It is not sent to the broker, whose parameters have other names and units."""
    clock = BrokerClock(AdminClient("http://127.0.0.1:1"))

    with pytest.raises(ValueError, match=r"^duration: -1 is not a number of seconds from 0 to"):
        clock.advance(-1)
    with pytest.raises(ValueError, match=r"^speed: 0 is not a number from 0\.001 to 1000$"):
        clock.run(speed=0)
