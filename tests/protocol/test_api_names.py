"""Kafka's names of APIs."""

from __future__ import annotations

import pytest

from protocol.api_names import api_key, api_name


@pytest.mark.parametrize(
    ("key", "name"), [(0, "Produce"), (17, "SaslHandshake"), (78, "ShareFetch"), (999, "999")]
)
def test_an_api_has_kafkas_name(key: int, name: str) -> None:
    """An API has Kafka's name, whether it is decoded or not; an unknown one has its key.

    The key is found by the name.
    """
    assert api_name(key) == name
    assert api_key(name) == key
