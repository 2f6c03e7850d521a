"""The limits of a node's connections."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.config import Config, parse_config
from broker.quotas.connection_quotas import ConnectionQuotas
from tests.broker.quotas.timers import ManualTimer

pytestmark = pytest.mark.anyio


def quotas(**given: str) -> tuple[ConnectionQuotas, ManualTimer]:
    """The quotas of a node with these settings, and its timer."""
    hand = ManualTimer()
    config = parse_config({key.replace("_", "."): value for key, value in given.items()})
    return ConnectionQuotas(config, hand.timer), hand


def test_by_default_there_is_no_limit() -> None:
    """1000 connections from one address are admitted."""
    unlimited, _ = quotas()

    assert all(unlimited.admit("192.0.2.1") for _ in range(1000))
    assert unlimited.may_accept


def test_an_address_has_a_limit() -> None:
    """Other addresses are admitted, and it is again when one of its connections closes."""
    limited, _ = quotas(max_connections_per_ip="2")
    admitted = [limited.admit("192.0.2.1") for _ in range(3)]
    other = limited.admit("192.0.2.2")
    limited.leave("192.0.2.1")

    assert admitted == [True, True, False]
    assert other
    assert limited.admit("192.0.2.1")


def test_an_address_may_have_its_own_limit() -> None:
    """A larger one, or zero."""
    limited, _ = quotas(
        max_connections_per_ip="1",
        max_connections_per_ip_overrides="192.0.2.1:2, 2001:db8::1:0",
    )
    addresses = ["192.0.2.1"] * 3 + ["192.0.2.2"] * 2 + ["2001:db8::1"]

    admitted = [limited.admit(address) for address in addresses]

    assert admitted == [True, True, False, True, False, False]


@pytest.mark.parametrize(
    ("named", "address"),
    [
        ("localhost", "127.0.0.1"),
        ("127.0.0.2", "::ffff:127.0.0.2"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("2001:DB8::1", "2001:db8::1"),
    ],
)
def test_the_limit_of_an_address_applies_to_all_its_texts(named: str, address: str) -> None:
    """As Java compares addresses; the name of the local host is one of them."""
    limited, _ = quotas(max_connections_per_ip_overrides=f"{named}:1")

    assert [limited.admit(address) for _ in range(2)] == [True, False]
    limited.leave(address)
    assert limited.admit(address)


def test_a_limit_of_an_unknown_host_applies_to_no_address(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A warning names the host; other limits apply."""
    overrides = "unknown.invalid:0,192.0.2.1:0"

    limited, _ = quotas(max_connections_per_ip_overrides=overrides)

    assert "'unknown.invalid' is not in the hosts file" in caplog.text
    assert [limited.admit(each) for each in ("192.0.2.1", "192.0.2.2")] == [False, True]


async def test_at_the_limit_none_is_accepted_until_one_is_closed() -> None:
    """New connections wait in the backlog."""
    limited, _ = quotas(max_connections="2")
    limited.admit("192.0.2.1")
    assert limited.may_accept
    limited.admit("192.0.2.2")
    assert not limited.may_accept
    async with trio.open_nursery() as nursery:
        nursery.start_soon(limited.changed)
        await trio.testing.wait_all_tasks_blocked()
        assert nursery.child_tasks

        limited.leave("192.0.2.1")

    assert limited.may_accept


async def test_a_raised_limit_accepts_waiting_connections() -> None:
    """The limits are read again."""
    hand, config = ManualTimer(), Config(max_connections=0)
    limited = ConnectionQuotas(config, hand.timer)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(limited.changed)
        await trio.testing.wait_all_tasks_blocked()

        config.max_connections = 1
        limited.reconfigured()

    assert limited.may_accept


def test_connections_above_the_rate_wait() -> None:
    """Each at most one window; the rate is kept over time."""
    limited, hand = quotas(max_connection_creation_rate="10")
    burst = 0
    while limited.may_accept:
        limited.record()
        burst += 1
    assert burst == 101

    hand.pass_ms(99)
    assert not limited.may_accept
    hand.pass_ms(1)
    assert limited.may_accept


async def test_the_number_of_connections_above_the_limit_is_known() -> None:
    """Connections of the inter-broker listener are admitted at the limit; and it may be lowered."""
    hand, config = ManualTimer(), Config(max_connections=2)
    limited = ConnectionQuotas(config, hand.timer)
    for _ in range(2):
        limited.admit("192.0.2.1")
    assert limited.excess == 0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(limited.changed)
        await trio.testing.wait_all_tasks_blocked()
        limited.admit("192.0.2.1")
    assert limited.excess == 1

    config.max_connections = 1

    assert limited.excess == 2


def test_the_limits_of_addresses_are_read_when_they_change() -> None:
    """The configuration is not parsed for each connection."""
    hand, config = ManualTimer(), Config(max_connections_per_ip_overrides="192.0.2.1:1")
    limited = ConnectionQuotas(config, hand.timer)
    config.max_connections_per_ip_overrides = "192.0.2.1:2"
    before = [limited.admit("192.0.2.1") for _ in range(2)]

    limited.reconfigured()

    assert before == [True, False]
    assert limited.admit("192.0.2.1")
