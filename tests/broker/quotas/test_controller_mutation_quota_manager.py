"""The quota of partitions that are created and deleted."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config import Config
from broker.quotas.controller_mutation_quota_manager import ControllerMutationQuotaManager
from broker.quotas.throttle import Throttle
from protocol.errors import ErrorCode

KEY = "controller_mutation_rate"


class Mutations:
    """Requests of a client that may create and delete two partitions a second."""

    def __init__(self, *, is_strict: bool) -> None:
        self.now_ms = 0.0
        self.manager = ControllerMutationQuotaManager(Config())
        self.manager.put((("user", "alice"),), {KEY: 2})
        self._is_strict = is_strict

    def request(self, *partitions: int) -> tuple[list[bool], Throttle | None]:
        """Whether each topic of a request is refused, and the client's throttle."""
        strict = self._is_strict
        quota = self.manager.quota_of("alice", "a", self.now_ms, is_strict=strict)
        assert quota is not None
        refused = []
        for count in partitions:
            try:
                quota.record(count)
            except ApiError as error:
                refused.append(error.code is ErrorCode.THROTTLING_QUOTA_EXCEEDED)
            else:
                refused.append(False)
        return refused, quota.throttle


def test_clients_without_a_quota_are_not_limited() -> None:
    """Other kinds of quotas do not apply."""
    manager = ControllerMutationQuotaManager(Config())
    manager.put((("user", "alice"),), {"request_percentage": 2})

    assert not manager.quotas_enabled
    assert manager.quota_of("alice", "a", 0, is_strict=True) is None


def test_a_strict_request_is_refused_when_the_tokens_are_spent() -> None:
    """The topic that spends more than there are is created; the next one is refused."""
    refused, throttle = Mutations(is_strict=True).request(20, 4, 1)

    assert refused == [False, False, True]
    assert throttle is not None
    assert throttle._replace(rate=0) == (1000, KEY, (("user", "alice"),), 0, 2)
    assert throttle.rate == pytest.approx(2.4)


def test_a_limit_that_is_not_a_number_refuses_nothing() -> None:
    """As in Kafka's ``Sensor.checkQuotas``: the tokens are not below 0."""
    mutations = Mutations(is_strict=True)
    mutations.manager.put((("user", "alice"),), {KEY: float("nan")})

    assert mutations.request(30, 1) == ([False, False], None)


def test_a_strict_request_that_spends_the_last_tokens_is_not_throttled() -> None:
    """Its successors are, until the excess is refilled; what was refused is not spent."""
    mutations = Mutations(is_strict=True)
    assert mutations.request(26) == ([False], None)
    mutations.now_ms = 1999

    assert mutations.request(5)[0] == [True]
    mutations.now_ms = 2000
    assert mutations.request(5) == ([False], None)


def test_a_permissive_request_is_processed_and_throttled() -> None:
    """For the time in which the excess is refilled."""
    mutations = Mutations(is_strict=False)
    first = mutations.request(22)

    refused, throttle = mutations.request(10, 10)

    assert first == ([False], None)
    assert refused == [False, False]
    assert throttle is not None
    assert throttle.time_ms == 10_000


def test_inactive_clients_are_removed() -> None:
    """After an hour without use."""
    mutations = Mutations(is_strict=True)
    mutations.request(30)
    mutations.manager.remove_idle(3_599_999)
    kept = dict(mutations.manager._measured)  # noqa: SLF001 - memory is the only effect

    mutations.manager.remove_idle(3_600_000)

    assert kept
    assert not mutations.manager._measured  # noqa: SLF001 - memory is the only effect
