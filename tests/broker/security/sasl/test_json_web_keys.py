"""The keys that verify signed tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.security.sasl.json_web_keys import JsonWebKeys, NoKeys, fetch_keys
from tests.broker.security.sasl.test_signed_token import key_set


def test_the_keys_of_a_file(tmp_path: Path) -> None:
    """By key id and algorithm."""
    keys = JsonWebKeys(key_set(tmp_path / "keys.json"), lambda: 0.0)

    assert [key.key_id for key in keys.candidates("one", "RS256")] == ["one"]
    assert [key.key_id for key in keys.candidates(None, "ES256")] == ["two"]
    assert not keys.candidates("one", "ES256")
    assert not keys.candidates(None, "none")


def test_keys_are_replaced(tmp_path: Path) -> None:
    """By those that are fetched later."""
    keys = JsonWebKeys(key_set(tmp_path / "keys.json"), lambda: 0.0)
    keys.replace([])

    assert not keys.candidates(None, "RS256")


def test_an_unknown_key_id_requests_a_refresh_at_most_once_a_minute(tmp_path: Path) -> None:
    """A known one does not."""
    now_ms, refreshes = [0.0], list[float]()
    keys = JsonWebKeys(key_set(tmp_path / "keys.json"), lambda: now_ms[0])
    keys.refresh = lambda: refreshes.append(now_ms[0])
    for time_ms, key_id in ((1, "one"), (2, "new"), (3, "new"), (60_001, "new"), (60_002, "new")):
        now_ms[0] = time_ms
        keys.candidates(key_id, "RS256")

    assert refreshes == [2, 60_002]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "cannot be read"),
        ("{", "cannot|no JSON"),
        ("{}", "no JSON web keys"),
    ],
)
def test_a_file_without_keys_is_refused(tmp_path: Path, text: str | None, reason: str) -> None:
    """In one line that names it."""
    path = tmp_path / "keys.json"
    if text is not None:
        path.write_text(text)

    with pytest.raises(NoKeys, match=reason) as failure:
        fetch_keys(path.as_uri())

    assert "keys.json" in str(failure.value)
    assert "\n" not in str(failure.value)


def test_another_scheme_is_refused() -> None:
    """And a path that is no URL."""
    for url in ("ftp://host/keys", "/keys.json"):
        with pytest.raises(NoKeys, match="file, http, https"):
            fetch_keys(url)
