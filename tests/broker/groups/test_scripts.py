"""Plays the scripts in ``testdata/`` and compares the responses and their times."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.config import Config, Setting
from tests.broker.groups.script import Block, Script, ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld

SCRIPTS = sorted(Path(__file__).parent.joinpath("testdata").glob("*.txt"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_responses_are_those_of_the_script(path: Path, request: pytest.FixtureRequest) -> None:
    """The members get these responses at these times."""
    script = Script.parse(path.read_text())
    settings = [Setting(key, value, path.name) for key, value in script.config.items()]
    world = VirtualWorld(Config.from_settings(settings))
    player = ScriptPlayer(world)

    played = Script(
        script.preamble,
        [Block(block.commands, player.play(block.commands)) for block in script.blocks],
    )

    if request.config.getoption("--rewrite", default=False):
        path.write_text(str(played))
    assert str(played) == path.read_text()
