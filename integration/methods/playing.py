"""Runs the shapes of tables on a broker, and returns each outcome."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from integration.methods.fixtures import Fixtures
from integration.methods.json_values import to_json
from integration.methods.method_table import Method, MethodTable, Shape

AT_ONCE = 8
WITHIN_S = 150.0  # a longer call is reported as one that does not return


@dataclass(frozen=True)
class Part:
    """One shape of one method."""

    table: MethodTable
    method: str
    shape: str

    @property
    def name(self) -> str:
        """The names of the method and the shape."""
        return f"{self.method}/{self.shape}"

    @property
    def call(self) -> Shape:
        """The function to call."""
        return self.of.shapes[self.shape]

    @property
    def of(self) -> Method:
        """The method's entry."""
        return self.table.methods[self.method]


def parts(tables: Iterable[MethodTable]) -> Iterator[Part]:
    """Return all shapes of all methods that the installed classes have."""
    for table in tables:
        there = table.public()
        for name, method in table.methods.items():
            if name in there:
                yield from (Part(table, name, shape) for shape in method.shapes)


def play_all(bootstrap: str, wanted: Iterable[Part]) -> Iterator[dict[str, Any]]:
    """Run shapes concurrently; yields the results of `play`, in the order of *wanted*."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda part: play(bootstrap, part), wanted)


def play(bootstrap: str, part: Part) -> dict[str, Any]:
    """Run one shape; returns the outcome, or the raised error."""
    begin = time.monotonic()
    fixtures = Fixtures(
        bootstrap,
        f"{part.table.name}/{part.name}",
        part.table.make,
        part.table.close,
        asynchronous=part.table.asynchronous,
    )
    for fixture in part.of.fixtures:
        getattr(fixtures, fixture)
    if part.table.asynchronous:
        outcome = asyncio.run(_play_asynchronously(fixtures, part))
    else:
        outcome = _play(fixtures, part)
    return {
        "client": part.table.name,
        "method": part.method,
        "shape": part.shape,
        "calls_it": part.method in fixtures.used,
        "took_ms": int((time.monotonic() - begin) * 1000),
        "outcome": outcome,
    }


def _play(fixtures: Fixtures, part: Part) -> Any:
    try:
        return to_json(part.call(fixtures.client(part.of.settings), fixtures))
    except Exception as error:
        return to_json(error)
    finally:
        fixtures.close()


async def _play_asynchronously(fixtures: Fixtures, part: Part) -> Any:
    try:
        async with asyncio.timeout(WITHIN_S):
            returned: Any = part.call(await fixtures.client(part.of.settings), fixtures)
            return to_json(await returned if inspect.isawaitable(returned) else returned)
    except Exception as error:
        return to_json(error)
    finally:
        await fixtures.aclose()
