"""Slices of a coordinator's own work, which no request ends."""

from __future__ import annotations

from collections.abc import Callable

from broker.steps.queue import Signal, Slices
from purgatories.action_queue import ActionQueue

# Calls the action that it gets, once; it may note a cause of what the action completes.
Run = Callable[[Callable[[], object]], None]


def run_without_cause(action: Callable[[], object]) -> None:
    """Call *action*."""
    action()


def acting(slices: Slices[None], actions: ActionQueue, run: Run) -> Slices[None]:
    """Run each piece of *slices*, and the actions that it has queued, by *run*."""
    piece = _Piece(slices, actions)
    while True:
        run(piece.advance)
        if piece.is_last:
            return
        yield piece.signal


class _Piece:
    """The present piece of slices; ``signal`` is what it has yielded."""

    __slots__ = ("_actions", "_slices", "is_last", "signal")

    def __init__(self, slices: Slices[None], actions: ActionQueue) -> None:
        self._slices = slices
        self._actions = actions
        self.is_last = False
        self.signal: Signal | None = None

    def advance(self) -> None:
        """Run the next piece and the queued actions."""
        try:
            self.signal = next(self._slices)
        except StopIteration:
            self.is_last = True
        finally:
            self._actions.try_complete_actions()
