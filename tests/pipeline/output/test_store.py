"""The folders of a run."""

from __future__ import annotations

import uuid

import pytest

from pipeline.output.manifest import PARQUET
from pipeline.output.store import Run


def test_the_id_of_a_run_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark reads the value of a part as a number if it can, and computes this one for minutes."""
    number_like = uuid.UUID("84e32009-5478-4000-8000-000000000000")
    monkeypatch.setattr(uuid, "uuid4", lambda: number_like)

    value = Run("out", PARQUET).folder("tables/waits").rpartition("=")[2]

    assert value.endswith("84e320095478")
    with pytest.raises(ValueError, match="could not convert"):
        float(value)
