"""The garbage collection of the broker's process: seldom complete, and never long otherwise."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# The net number of new objects before a collection of the youngest generation, and the number of
# those before one of the middle and of the oldest generation. A collection is one step of the loop
# and visits a million objects in about 0.3 s: those of the middle generation visit up to 60,000,
# also while thousands of partitions are created. Since Python 3.14 there are two generations, and
# the second number is the inverse of the part of the old one that a collection visits.
IS_INCREMENTAL: Final = sys.version_info >= (3, 14)
THRESHOLDS: Final = (50_000, 20, 100) if IS_INCREMENTAL else (20_000, 1, 2_500)


@contextmanager
def excluded_from_garbage_collection() -> Iterator[None]:
    """No collection visits the objects that the context creates, neither in it nor later.

    The imports of a broker create a hundred thousand objects that remain. Three collections visited
    them, which took a fifth of a start.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def configure_garbage_collection() -> None:
    """Exclude the objects that exist now from garbage collection, and collect less often.

    A full collection with 100,000 parked requests takes about as long as 100 requests. The objects
    of a request contain no cycles, so they are freed without a collection.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
