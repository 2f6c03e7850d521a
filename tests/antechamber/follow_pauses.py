"""Actions between two updates of a command with --follow."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

Meanwhile = Callable[..., None]


def pauses_of(command: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """A function that sets the actions; each pause performs one, and then one is interrupted.

    *command* sleeps between updates; the pause after the last action raises KeyboardInterrupt.
    """

    def script(*actions: Callable[[], object]) -> None:
        left = iter(actions)

        def pause(_seconds: float) -> None:
            action = next(left, None)
            if action is None:
                raise KeyboardInterrupt
            action()

        monkeypatch.setattr(command, "sleep", pause)

    return script
