"""Fetches the keys of signed tokens again, in a worker thread (``RefreshingHttpsJwks``).

period, or a token with an unknown key id
    |
    v
attempt --it fails--> wait for the backoff, twice as long each time --> attempt ...
    |                                  `--- the time of the refresh is over: the keys remain
    `--- the keys are replaced
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Any, NamedTuple

from broker.common.errors import StartupError
from broker.config import Config
from broker.security.sasl.json_web_keys import JsonWebKeys, NoKeys, fetch_keys
from broker.steps.offload import Offload, Outcome
from broker.steps.schedule import schedule, schedule_once
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.authentication")


class RefreshTimes(NamedTuple):
    """When keys are fetched: periodically, and after a failure with a backoff.

    The first backoff is ``backoff_ms``. Attempts end ``attempts_ms`` after the first one of a
    refresh, so that is not the longest backoff, whatever the name of its key.
    """

    period_ms: int
    backoff_ms: int
    attempts_ms: int

    @classmethod
    def of(cls, config: Config, listener: str) -> RefreshTimes:
        """The times of a listener; raises `StartupError`."""

        def value(key: str) -> Any:
            return config.for_listener(listener, key)

        times = cls(
            period_ms=value("sasl.oauthbearer.jwks.endpoint.refresh.ms"),
            backoff_ms=value("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms"),
            attempts_ms=value("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms"),
        )
        if not 0 <= times.backoff_ms <= times.attempts_ms:
            raise StartupError(
                f"sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms: the listener {listener} has "
                f"{times.attempts_ms}, and the first backoff is {times.backoff_ms}; "
                "give a backoff of 0 or more, and a larger maximum"
            )
        return times


class KeyRefresh:
    """Refreshes *keys*, one refresh at a time; *keys* requests an early one by ``refresh``."""

    def __init__(
        self, keys: JsonWebKeys, timer: SystemTimer, offload: Offload, times: RefreshTimes
    ) -> None:
        self._keys = keys
        self._timer = timer
        self._offload = offload
        self._times = times
        self._is_running = False
        self._ends_ms = 0.0
        self._backoff_ms = 0
        keys.refresh = self.start
        if times.period_ms > 0:
            schedule(timer, self.start, delay_ms=times.period_ms, period_ms=times.period_ms)

    def start(self) -> None:
        """Begin a refresh, unless one is running."""
        if self._is_running:
            return
        self._is_running = True
        self._ends_ms = self._timer.now_ms() + self._times.attempts_ms
        self._backoff_ms = self._times.backoff_ms
        self._attempt()

    def _attempt(self) -> None:
        self._offload.run(partial(fetch_keys, self._keys.url, self._keys.tls), self._fetched)

    def _fetched(self, outcome: Outcome[list[Any]]) -> None:
        try:
            self._keys.replace(outcome.result())
        except NoKeys as error:
            delay_ms = min(self._backoff_ms, self._ends_ms - self._timer.now_ms())
            if delay_ms > 0:
                self._backoff_ms *= 2
                schedule_once(self._timer, self._attempt, delay_ms=delay_ms)
                return
            log.warning("the keys of signed tokens are not refreshed: %s", error)
        self._is_running = False
