"""The shares in the file descriptors of the process."""

from __future__ import annotations

import resource

import pytest

from broker.process.descriptors import ClientDescriptors, shares


@pytest.mark.parametrize("allowed", [64, 128, 256, 1024, 4096, 1 << 20])
def test_the_shares_leave_a_reserve(monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    """Logs, the admin interface and clients each have some, and together less than all."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (allowed, allowed))

    of = shares()

    assert min(of) > 0
    assert sum(of) <= allowed - min(64, allowed // 4)


def test_most_of_many_descriptors_is_for_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other shares have maxima."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (20_000, 20_000))
    assert shares() == (512, 64, 19_360)


def test_without_a_limit_the_share_of_clients_is_unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share of logs is limited."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (-1, -1))
    assert shares().logs == 512
    assert shares().clients > 1 << 30


def test_a_closed_connection_returns_its_descriptor() -> None:
    """A connection beyond the share has none."""
    clients = ClientDescriptors(2)

    assert [clients.take() for _ in range(3)] == [True, True, False]
    clients.give_back()
    assert clients.take()
    assert not clients.take()
