"""The limits of a listener's connections."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.config import Config, parse_config
from broker.quotas.connection_quotas import ConnectionQuotas
from broker.quotas.listener_quotas import ListenerQuotas
from tests.broker.quotas.timers import ManualTimer

pytestmark = pytest.mark.anyio

CLIENT = "192.0.2.1"


class Limited:
    """The listeners INT, which is exempt from the node's limits, and EXT."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.hand = ManualTimer()
        self.config: Config = parse_config(settings)
        self.quotas = quotas = ConnectionQuotas(self.config, self.hand.timer)
        self.internal = ListenerQuotas(quotas, self.config, "INT", is_exempt=True)
        self.external = ListenerQuotas(quotas, self.config, "EXT", is_exempt=False)


async def test_a_listener_at_its_limit_accepts_none_until_one_is_closed() -> None:
    """Connections of other listeners are accepted."""
    limited = Limited({"listener.name.ext.max.connections": "1"})
    assert limited.external.admit(CLIENT)
    assert (limited.external.may_accept, limited.internal.may_accept) == (False, True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(limited.external.acceptable)
        await trio.testing.wait_all_tasks_blocked()
        assert nursery.child_tasks

        limited.external.leave(CLIENT)

    assert limited.external.may_accept


def test_the_limit_of_the_node_does_not_apply_to_the_inter_broker_listener() -> None:
    """But it is the limit of the listener's own connections."""
    limited = Limited({"max.connections": "1"})

    limited.external.admit(CLIENT)
    assert (limited.external.may_accept, limited.internal.may_accept) == (False, True)
    limited.internal.admit(CLIENT)
    assert not limited.internal.may_accept


async def test_a_limit_of_a_listener_changes_while_the_node_runs() -> None:
    """Waiting connections are accepted then."""
    limited = Limited({"listener.name.ext.max.connections": "0"})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(limited.external.acceptable)
        await trio.testing.wait_all_tasks_blocked()
        assert nursery.child_tasks

        limited.config.reconfigure({"listener.name.ext.max.connections": "1"}, {})
        limited.quotas.reconfigured()

    assert limited.external.may_accept


def test_a_listener_has_a_rate_of_its_own() -> None:
    """The other listener is not throttled."""
    limited = Limited({"listener.name.ext.max.connection.creation.rate": "10"})
    while limited.external.may_accept:
        limited.external.record(CLIENT)

    assert limited.internal.may_accept
    limited.hand.pass_ms(100)
    assert limited.external.may_accept


def test_connections_of_the_inter_broker_listener_are_not_in_the_rate_of_the_node() -> None:
    """It is also the limit of the listener's own rate."""
    limited = Limited({"max.connection.creation.rate": "10"})
    while limited.internal.may_accept:
        limited.internal.record(CLIENT)

    assert limited.external.may_accept


def test_an_address_with_too_many_connections_is_not_counted() -> None:
    """The limit of addresses is that of the node."""
    limited = Limited({"max.connections.per.ip": "1", "listener.name.ext.max.connections": "2"})

    assert [limited.external.admit(CLIENT) for _ in range(3)] == [True, False, False]
    assert limited.external.may_accept


def test_the_quota_of_an_address_applies_to_all_listeners() -> None:
    """The inter-broker listener is not exempt from it."""
    limited = Limited({})
    limited.quotas.address_rates.put((("ip", CLIENT),), {"connection_creation_rate": 1.0})

    throttled = [
        each.record(CLIENT) > 0 for _ in range(6) for each in (limited.internal, limited.external)
    ]

    assert throttled == [False] * 10 + [True] * 2
