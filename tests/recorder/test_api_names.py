"""What APIs are called."""

from __future__ import annotations

import pytest

from recorder.api_names import name_of_api


@pytest.mark.parametrize(
    ("key", "name"), [(0, "Produce"), (17, "SaslHandshake"), (78, "ShareFetch"), (999, "999")]
)
def test_an_api_has_kafkas_name(key: int, name: str) -> None:
    """Whether its messages are known here or not; a new one has its number."""
    assert name_of_api(key) == name
