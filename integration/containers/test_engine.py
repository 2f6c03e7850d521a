"""What the tests report about the engine of a machine, without an engine."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from testcontainers.core.config import testcontainers_config

from integration.containers import engine
from integration.containers.image import ROOT


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An engine that responds, has no image, and cannot pull any."""
    present = dict(os.environ)
    monkeypatch.setattr(engine, "missing_docker", lambda: None)
    monkeypatch.setattr(engine, "_has", lambda image: False)
    monkeypatch.setattr(testcontainers_config, "ryuk_disabled", False)
    yield
    os.environ.clear()
    os.environ.update(present)


def test_a_missing_image_is_named_with_the_script_that_makes_it(offline: None) -> None:
    """The script exists and can be executed."""
    missing = engine.missing_image.__wrapped__("some/image:1")

    script = "docker/local/images.sh"
    assert missing == f"no image some/image:1, and the engine cannot pull it; {script} makes one"
    assert os.access(ROOT / script, os.X_OK)


def test_the_reaper_is_disabled_without_its_image(offline: None) -> None:
    """In this process, and in the programs in other languages that it starts."""
    engine.disable_reaper_without_image()

    assert testcontainers_config.ryuk_disabled
    assert os.environ["TESTCONTAINERS_RYUK_DISABLED"] == "true"
