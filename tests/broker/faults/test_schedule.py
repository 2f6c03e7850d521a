"""The head of a schedule."""

from __future__ import annotations

from datetime import date

import pytest

from broker.common.errors import InvalidValue
from broker.faults.schedule import read_schedule


def test_the_rules_of_a_schedule() -> None:
    """The rest has no effect."""
    value = {"schedule": 1, "seed": 2**64 - 1, "rules": [{"nth": 3}]}

    assert read_schedule(value) == [{"nth": 3}]
    assert read_schedule({"rules": []}) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "a schedule: it must be a JSON object"),
        ({"rules": [], "name": "a"}, "a schedule: no field is named 'name'; allowed: "),
        ({"schedule": 2, "rules": []}, "schedule: the only version of the format is 1"),
        ({"seed": -1, "rules": []}, "seed: -1 is not a whole number from 0 to "),
        ({"seed": date(2026, 1, 1), "rules": []}, 'seed: "2026-01-01" is not a whole number'),
        ({"seed": {date(2026, 1, 1): 1}, "rules": []}, "seed: {} is not a whole number"),
        ({"schedule": 1}, "rules: give a list of fault rules"),
        ({"rules": {}}, "rules: give a list of fault rules"),
    ],
)
def test_an_invalid_schedule(value: object, message: str) -> None:
    """The error names the field; YAML also has dates."""
    with pytest.raises(InvalidValue) as error:
        read_schedule(value)

    assert str(error.value).startswith(message)
