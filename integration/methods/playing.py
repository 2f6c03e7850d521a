"""Plays the shapes of a net to a broker, and reports each outcome."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from integration.methods.net import Method, Net, Shape
from integration.methods.stage import Stage
from integration.methods.telling import tell

AT_ONCE = 8
WITHIN_S = 45.0  # a call that takes longer is reported as one that never returns


@dataclass(frozen=True)
class Part:
    """One shape of one method."""

    net: Net
    method: str
    shape: str

    @property
    def name(self) -> str:
        """The method and the shape, in words."""
        return f"{self.method}/{self.shape}"

    @property
    def call(self) -> Shape:
        """What is called."""
        return self.of.shapes[self.shape]

    @property
    def of(self) -> Method:
        """The method's entry."""
        return self.net.methods[self.method]


def parts(nets: Iterable[Net]) -> Iterator[Part]:
    """Return all shapes of all methods that the installed classes have."""
    for net in nets:
        there = net.public()
        for name, method in net.methods.items():
            if name in there:
                yield from (Part(net, name, shape) for shape in method.shapes)


def play_all(bootstrap: str, wanted: Iterable[Part]) -> Iterator[dict[str, Any]]:
    """Play shapes, several at once; yields what `play` returns, in the order of *wanted*."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda part: play(bootstrap, part), wanted)


def play(bootstrap: str, part: Part) -> dict[str, Any]:
    """Play one shape; returns the outcome, or the error that the call raised."""
    begin = time.monotonic()
    stage = Stage(bootstrap, part.net, part.name)
    for fixture in part.of.fixtures:
        getattr(stage, fixture)
    if part.net.asynchronous:
        outcome = asyncio.run(_play_asynchronously(stage, part))
    else:
        outcome = _play(stage, part)
    return {
        "client": part.net.name,
        "method": part.method,
        "shape": part.shape,
        "calls_it": part.method in stage.used,
        "took_ms": int((time.monotonic() - begin) * 1000),
        "outcome": outcome,
    }


def _play(stage: Stage, part: Part) -> Any:
    try:
        return tell(part.call(stage.client(part.of.settings), stage))
    except Exception as error:
        return tell(error)
    finally:
        stage.close()


async def _play_asynchronously(stage: Stage, part: Part) -> Any:
    try:
        async with asyncio.timeout(WITHIN_S):
            returned: Any = part.call(await stage.client(part.of.settings), stage)
            return tell(await returned if inspect.isawaitable(returned) else returned)
    except Exception as error:
        return tell(error)
    finally:
        await stage.aclose()
