"""How many examples of random search a test on Spark draws: each takes about a second.

``HYPOTHESIS_PROFILE=fresh`` draws other examples in each run, and reduces one that fails.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

_FRESH = os.environ.get("HYPOTHESIS_PROFILE") == "fresh"


def examples(count: int) -> settings:
    """Settings for *count* examples, the same in every run."""
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=not _FRESH,
        database=None,
        phases=tuple(Phase) if _FRESH else (Phase.explicit, Phase.generate),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
