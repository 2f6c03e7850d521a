"""A node's line to the controller, and what is wrong with it.

question --[held]--> the controller decides --[held | lost]--> answer
    |--> refused, or left open: the controller never hears of it
    `--> repeated: it arrives once more, later (a request is sent again when its answer is late)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from broker.common.errors import ApiError
from broker.controller.alter_partition import AlterPartition
from broker.controller.channel import Answer, ControllerChannel
from protocol.errors import ErrorCode

_OPEN = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
_REFUSED = ApiError(ErrorCode.INELIGIBLE_REPLICA)

Fate = Callable[[AlterPartition, Answer], None]


class Line:
    """Stands between a node and its channel for the node's life."""

    def __init__(self, channel: ControllerChannel) -> None:
        self._ask = channel.alter_partition
        self._fates: deque[Fate] = deque()
        self._questions: list[tuple[AlterPartition, Answer]] | None = None
        self._answers: list[Callable[[], None]] | None = None
        self._repeats: list[AlterPartition] = []
        channel.alter_partition = self._alter_partition  # type: ignore[method-assign]

    @property
    def is_disturbed(self) -> bool:
        """Whether the next question may not be answered as it should."""
        return bool(self._fates) or self._questions is not None or self._answers is not None

    def happen(self, kind: str) -> None:
        """Do one of the things that `Faults` tells of."""
        if kind == "refuse":
            self._fates.append(lambda _, answer: answer(_REFUSED))
        elif kind == "leave open":
            self._fates.append(lambda _, answer: answer(_OPEN))
        elif kind == "lose answer":
            self._fates.append(lambda change, answer: self._ask(change, lambda _: answer(_OPEN)))
        elif kind == "repeat":
            self._fates.append(self._and_repeat)
        elif kind == "hold questions":
            self._questions = self._questions or []
        elif kind == "hold answers":
            self._answers = self._answers or []
        else:
            assert kind == "let speak"
            self.let_speak()

    def let_speak(self) -> None:
        """Ask and answer what was held; what is still to be refused will not be."""
        self._fates.clear()
        repeats, self._repeats = self._repeats, []
        questions, self._questions = self._questions or [], None
        answers, self._answers = self._answers or [], None
        for change in repeats:
            self._ask(change, _unheard)
        for change, answer in questions:
            self._ask(change, answer)
        for late in answers:
            late()

    def _alter_partition(self, change: AlterPartition, answer: Answer) -> None:
        if self._questions is not None:
            self._questions.append((change, answer))
        elif self._fates:
            self._fates.popleft()(change, answer)
        elif self._answers is not None:
            self._ask(change, partial(self._keep, self._answers, answer))
        else:
            self._ask(change, answer)

    def _and_repeat(self, change: AlterPartition, answer: Answer) -> None:
        self._repeats.append(change)
        self._ask(change, answer)

    @staticmethod
    def _keep(late: list[Callable[[], None]], answer: Answer, result: object) -> None:
        late.append(partial(answer, result))  # type: ignore[arg-type]


def _unheard(_result: object) -> None:
    """Nobody waits for an answer any more."""
