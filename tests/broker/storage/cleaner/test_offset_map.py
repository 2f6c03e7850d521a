"""Tests of the latest offset of each key: `broker.storage.cleaner.offset_map`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.storage.cleaner.offset_map import OffsetMap


@given(st.lists(st.binary(max_size=60)))
def test_the_latest_offset_of_a_key_is_returned(keys: list[bytes]) -> None:
    """For keys of any length."""
    offsets = OffsetMap()
    for offset, key in enumerate(keys):
        assert offsets.put(key, offset)
    latest = {key: offset for offset, key in enumerate(keys)}
    assert {key: offsets.get(key) for key in keys} == latest
    assert len(offsets) == len(latest)


def test_an_unknown_key_has_no_offset() -> None:
    """No record supersedes it."""
    assert OffsetMap().get(b"k") == -1


def test_a_full_map_accepts_only_known_keys() -> None:
    """The next compaction handles the others."""
    offsets = OffsetMap(2)
    assert offsets.put(b"a", 0)
    assert offsets.put(b"b", 1)
    assert not offsets.put(b"c", 2)
    assert offsets.put(b"a", 3)
    assert (offsets.get(b"a"), offsets.get(b"c")) == (3, -1)
    assert offsets.latest_offset == 3
