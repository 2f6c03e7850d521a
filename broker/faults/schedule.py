"""A schedule: fault rules that are set together, with the version of the format."""

from __future__ import annotations

from broker.common.errors import InvalidValue
from broker.faults.fields import Fields

FORMAT = 1
SCHEDULE_SEED_MAX = 2**64 - 1
_VERSION_MAX = 2**15 - 1


def read_schedule(value: object) -> list[object]:
    """The descriptions of the rules; raises `InvalidValue`.

    ``schedule`` is the version of the format, and ``seed`` the number that the rules were drawn
    from; both are optional, and nothing depends on them.
    """
    fields = Fields(value, what="a schedule")
    fields.allow("schedule", "seed", "rules")
    if fields.whole("schedule", 0, _VERSION_MAX) not in (None, FORMAT):
        raise fields.refusal("schedule", f"the only version of the format is {FORMAT}")
    fields.whole("seed", 0, SCHEDULE_SEED_MAX)
    assert isinstance(value, dict)
    rules = value.get("rules")
    if not isinstance(rules, list):
        raise InvalidValue("rules: give a list of fault rules")
    return rules
