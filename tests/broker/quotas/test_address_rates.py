"""The quotas of addresses."""

from __future__ import annotations

import pytest

from broker.config import Config
from broker.quotas.address_rates import AddressRates

KEY = "connection_creation_rate"


class Rates:
    """The rates of addresses with these quotas, and a clock."""

    def __init__(self, **quotas: float) -> None:
        self.now_ms = 0.0
        self.rates = AddressRates(Config(), lambda: self.now_ms)
        for name, rate in quotas.items():
            self.rates.put((("ip", name),), {KEY: rate})

    def burst(self, address: str) -> int:
        """How many connections are created at once before one is throttled."""
        return next(count for count in range(1000) if self.rates.record(address))


def test_an_address_above_its_quota_is_throttled() -> None:
    """The window is ten seconds, and others have no limit."""
    rates = Rates(**{"192.0.2.1": 2})

    assert rates.burst("192.0.2.1") == 20
    assert not any(rates.rates.record("192.0.2.2") for _ in range(1000))


def test_a_throttled_connection_is_not_counted() -> None:
    """Each has the same throttle time; when the windows have passed, the rate is 0."""
    rates = Rates(**{"192.0.2.1": 2})
    rates.burst("192.0.2.1")

    assert {rates.rates.record("192.0.2.1") for _ in range(3)} == {500}
    rates.now_ms += 11_000
    assert rates.burst("192.0.2.1") == 20


def test_the_throttle_time_is_at_most_one_window() -> None:
    """Also of a quota of one connection in a hundred seconds."""
    rates = Rates(**{"192.0.2.1": 0.01})

    assert rates.rates.record("192.0.2.1") == 1000


def test_a_removed_quota_limits_no_address() -> None:
    """That of another address stays."""
    rates = Rates(**{"192.0.2.1": 2, "192.0.2.2": 2})

    rates.rates.put((("ip", "192.0.2.1"),), {})

    assert not any(rates.rates.record("192.0.2.1") for _ in range(1000))
    assert rates.burst("192.0.2.2") == 20


def test_addresses_without_a_quota_have_the_default_one() -> None:
    """Each has a rate of its own."""
    rates = Rates(**{"192.0.2.1": 2})
    rates.rates.put((("ip", None),), {KEY: 1})

    bursts = [rates.burst(each) for each in ("192.0.2.1", "192.0.2.2", "2001:db8::1")]

    assert bursts == [20, 10, 10]


@pytest.mark.parametrize(
    ("named", "address"),
    [
        ("localhost", "127.0.0.1"),
        ("127.0.0.1", "::ffff:127.0.0.1"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("fe80::1", "fe80::1%eth0"),
    ],
)
def test_an_address_has_several_texts(named: str, address: str) -> None:
    """The quota of one text applies to the others."""
    rates = Rates(**{named: 1})

    assert rates.burst(address) == 10


def test_idle_rates_are_removed() -> None:
    """After an hour the burst is possible again, as it is after the windows."""
    rates = Rates(**{"192.0.2.1": 1})
    rates.burst("192.0.2.1")
    rates.rates.remove_idle()
    kept = rates.rates.record("192.0.2.1")
    rates.now_ms += 3_600_000

    rates.rates.remove_idle()

    assert kept
    assert rates.burst("192.0.2.1") == 10
