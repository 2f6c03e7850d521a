"""`AsyncCluster` before its start; `integration/test_async_handle.py` starts it."""

from __future__ import annotations

import pytest

from antechamber import AsyncCluster

pytestmark = pytest.mark.anyio


async def test_a_method_before_the_start() -> None:
    """The error names ``async with``, which starts the broker."""
    with pytest.raises(AttributeError, match=r"before its start; use it in `async with`$"):
        await AsyncCluster().cluster()


@pytest.mark.parametrize("name", ["bootstrap", "nodes", "clock", "faults", "is_running"])
async def test_an_attribute_before_the_start(name: str) -> None:
    """Likewise, with the name of the attribute."""
    with pytest.raises(AttributeError, match=f"has no attribute {name!r} before its start"):
        getattr(AsyncCluster(), name)


async def test_the_representation_before_the_start() -> None:
    """It says that the cluster is not started."""
    assert repr(AsyncCluster()) == "<AsyncCluster: not started>"
