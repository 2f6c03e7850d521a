"""The refresh of the keys of signed tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from broker.api.authentication.key_refresh import KeyRefresh, RefreshTimes
from broker.common.errors import StartupError
from broker.config.broker_config import parse_config
from broker.security.sasl.json_web_keys import JsonWebKeys
from broker.steps.offload import Inline, Job, Outcome
from tests.broker.security.sasl.test_signed_token import key_set
from tests.client import running_node

pytestmark = pytest.mark.anyio

BACKOFF = "sasl.oauthbearer.jwks.endpoint.retry.backoff"


class Attempts(Inline):
    """Fetches at once; ``times_s`` are the times of all attempts."""

    def __init__(self) -> None:
        self.times_s: list[float] = []

    def run(self, work: Callable[[], Any], then: Callable[[Outcome[Any]], object]) -> Job[Any]:
        """Note the time."""
        self.times_s.append(trio.current_time())
        return super().run(work, then)


class Refreshed:
    """Keys in a file that are refreshed every minute, and the times of all attempts."""

    def __init__(self, path: Path, keys: JsonWebKeys, attempts_s: list[float]) -> None:
        self.path = path
        self.text = path.read_text()
        self.keys = keys
        self.attempts_s = attempts_s

    def has(self, key_id: str) -> bool:
        """Whether there is a key with that id."""
        return bool(self.keys.candidates(key_id, "RS256"))


@pytest.fixture
async def refreshed(tmp_path: Path) -> AsyncIterator[Refreshed]:
    """Backoffs begin with 100 ms, and attempts end after 1000 ms."""
    path, attempts = tmp_path / "keys.json", Attempts()
    async with running_node(tmp_path / "data") as running:
        node = running.node
        keys = JsonWebKeys(key_set(path), node.clock.now_ms)
        KeyRefresh(keys, node.timer, attempts, RefreshTimes(60_000, 100, 1000))
        yield Refreshed(path, keys, attempts.times_s)


async def test_keys_are_fetched_again_periodically(refreshed: Refreshed) -> None:
    """Later keys replace the present ones."""
    refreshed.path.write_text(refreshed.text.replace('"one"', '"three"'))
    await trio.sleep(61)

    assert refreshed.has("three")
    assert refreshed.attempts_s == pytest.approx([60], abs=0.01)


async def test_an_unknown_key_id_begins_a_refresh(refreshed: Refreshed) -> None:
    """The token that names it is refused."""
    refreshed.path.write_text(refreshed.text.replace('"one"', '"three"'))

    assert not refreshed.has("three")
    assert refreshed.has("three")


async def test_keys_that_cannot_be_fetched_are_tried_again(
    refreshed: Refreshed, caplog: pytest.LogCaptureFixture
) -> None:
    """Each backoff is twice the one before; the last attempt is at the end of the time."""
    refreshed.path.write_text("nonsense")
    assert not refreshed.has("four")
    assert not caplog.records
    await trio.sleep(10)

    assert refreshed.attempts_s == pytest.approx([0, 0.1, 0.3, 0.7, 1.0], abs=0.01)
    assert "the keys of signed tokens are not refreshed" in caplog.text
    assert refreshed.has("one")


async def test_an_attempt_that_succeeds_is_the_last(refreshed: Refreshed) -> None:
    """The next refresh begins with the first backoff again."""
    refreshed.path.write_text("nonsense")
    assert not refreshed.has("four")
    await trio.sleep(0.2)
    refreshed.path.write_text(refreshed.text)
    await trio.sleep(50)
    refreshed.path.write_text("nonsense")
    await trio.sleep(10)

    assert refreshed.attempts_s[:3] == pytest.approx([0, 0.1, 0.3], abs=0.01)
    assert refreshed.attempts_s[3:5] == pytest.approx([60, 60.1], abs=0.02)


async def test_one_refresh_runs_at_a_time(refreshed: Refreshed) -> None:
    """A request for another one while attempts go on has no effect."""
    refreshed.path.write_text("nonsense")
    assert not refreshed.has("four")
    await trio.sleep(0.05)
    assert refreshed.keys.refresh is not None
    refreshed.keys.refresh()
    await trio.sleep(0.02)

    assert len(refreshed.attempts_s) == 1


@pytest.mark.parametrize(("first", "most"), [("100", "99"), ("-1", "10")])
def test_backoffs_that_contradict_each_other_are_refused(first: str, most: str) -> None:
    """The message names the keys and the listener."""
    config = parse_config(
        {f"listener.name.a.{BACKOFF}.ms": first, f"listener.name.a.{BACKOFF}.max.ms": most}
    )

    with pytest.raises(StartupError, match=r"retry.backoff.max.ms: the listener A"):
        RefreshTimes.of(config, "A")
    assert RefreshTimes.of(config, "B") == (3_600_000, 100, 10_000)
