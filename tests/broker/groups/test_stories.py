"""Plays every story of this folder and compares what members were answered, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.config import Config, Setting
from tests.broker.groups.story import Block, Script, Story
from tests.broker.groups.virtual_world import VirtualWorld

STORIES = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story(path: Path, request: pytest.FixtureRequest) -> None:
    """Members are answered as the story says, at the times it says."""
    script = Script.parse(path.read_text())
    settings = [Setting(key, value, path.name) for key, value in script.config.items()]
    world = VirtualWorld(Config.from_settings(settings))
    story = Story(world)

    played = Script(
        script.preamble,
        [Block(block.commands, story.play(block.commands)) for block in script.blocks],
    )

    if request.config.getoption("--rewrite", default=False):
        path.write_text(str(played))
    assert str(played) == path.read_text()
