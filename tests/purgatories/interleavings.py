"""Runs one action, and another one in a second thread at a chosen step of the first.

    this thread:    step 1, 2, ... at | paused            | ... n
    second thread:                    | the second action | goes on when its lock is released

A step is a bytecode instruction of `purgatories` that reads or writes state which threads share.
The second thread runs until it has finished or needs a lock that this thread holds; it continues as
soon as that lock is released. So each pair of actions has a finite number of interleavings, and
each of them is deterministic.
"""

from __future__ import annotations

import dis
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final
from unittest.mock import patch

import purgatories

PATIENCE_S = 30
_FOLDER: Final = str(Path(purgatories.__file__).parent)
# Instructions that use only their frame (variables, constants, stack), new objects and the names of
# modules. All others may read or write what another thread writes or reads. The names are those of
# CPython 3.11 to 3.14; an instruction that is not listed is a step, so an instruction that a later
# version adds can only add interleavings.
_LOCAL: Final = frozenset({*dis.haslocal, *dis.hasconst})
_LOCAL_NAMES: Final = (
    "BUILD_",
    "CACHE",
    "CHECK_EXC_MATCH",
    "COPY",
    "END_FOR",
    "EXTENDED_ARG",
    "IS_OP",
    "JUMP_BACKWARD",
    "JUMP_FORWARD",
    "KW_NAMES",
    "LIST_APPEND",
    "LOAD_ASSERTION_ERROR",
    "LOAD_COMMON_CONSTANT",
    "LOAD_FAST",
    "LOAD_GLOBAL",
    "LOAD_SMALL_INT",
    "MAKE_",
    "MAP_ADD",
    "NOP",
    "NOT_TAKEN",
    "POP_EXCEPT",
    "POP_ITER",
    "POP_TOP",
    "PRECALL",
    "PUSH_",
    "RAISE_VARARGS",
    "RERAISE",
    "RESUME",
    "RETURN_",
    "SET_FUNCTION_ATTRIBUTE",
    "SWAP",
    "UNPACK_SEQUENCE",
)
_JUMP_WITHOUT_TEST: Final = re.compile(r"POP_JUMP_(FORWARD_|BACKWARD_)?IF_(NOT_)?NONE")
_MODULES_WITH_LOCKS: Final = (
    "delayed_operation",
    "expiration_meter",
    "purgatory",
    "timer.task_counter",
    "try_lock_operation",
    "watcher_list",
)

Action = Callable[[], object]


class Meeting:
    """The two threads of one interleaving; its locks let the second one run in a fixed order."""

    def __init__(self) -> None:
        self._second: threading.Thread | None = None
        self._paused = threading.Semaphore(0)  # released when the second thread blocks or ends
        self._awaited: Lock | None = None  # by the second thread
        self._error: BaseException | None = None
        self._steps_left = -1
        self._action: Action | None = None  # of the second thread

    def rehearse(self, action: Action) -> int:
        """Run *action* alone; returns the number of its steps.

        CPython 3.13 reports the instructions of a function only from its second traced call. So an
        action is rehearsed once before its steps are counted.
        """
        self._steps_left = sys.maxsize
        self._trace(action)
        return sys.maxsize - self._steps_left

    def interleave(self, first: Action, second: Action, at: int) -> bool:
        """Run *first* in this thread, and *second* in another one before step *at* of it.

        Returns False, and does not run *second*, if *first* has fewer steps.
        """
        self._steps_left, self._action, self._second, self._error = at, second, None, None
        self._trace(first)
        if self._second is None:
            return False
        self._second.join(PATIENCE_S)
        assert not self._second.is_alive(), "the second action does not end"
        if self._error is not None:
            raise self._error
        return True

    def _trace(self, action: Action) -> None:
        # CPython 3.12 reports instructions only if a frame wants them when tracing begins.
        sys._getframe().f_trace_opcodes = True  # noqa: SLF001 - the documented way to the frame
        sys.settrace(self._on_call)
        try:
            action()
        finally:
            sys.settrace(None)

    def _on_call(self, frame: FrameType, event: str, _argument: object) -> Any:
        if not frame.f_code.co_filename.startswith(_FOLDER):
            return None
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        shared = shared_steps(frame.f_code)

        def on_step(frame: FrameType, event: str, _argument: object) -> Any:
            if frame.f_lasti in shared and event == "opcode":
                if self._steps_left == 0:
                    sys.settrace(None)
                    self._begin_second()
                self._steps_left -= 1
            return on_step

        return on_step

    def _begin_second(self) -> None:
        self._second = threading.Thread(target=self._run_second, daemon=True)
        self._second.start()
        self._wait_until_paused()

    def _run_second(self) -> None:
        assert self._action is not None
        try:
            self._action()
        except BaseException as error:
            self._error = error
        self._paused.release()

    def _wait_until_paused(self) -> None:
        assert self._paused.acquire(timeout=PATIENCE_S), "the second action waits outside its locks"

    def wait_for(self, lock: Lock) -> None:
        """Block the thread that needs *lock*, which the other one holds."""
        assert threading.current_thread() is self._second, "deadlock"
        self._awaited = lock
        self._paused.release()
        assert lock.inner.acquire(timeout=PATIENCE_S), "deadlock"

    def released(self, lock: Lock) -> None:
        """Let the second thread continue if it waited for *lock*."""
        if self._awaited is lock and threading.current_thread() is not self._second:
            self._awaited = None
            self._wait_until_paused()


class Lock:
    """A lock of `purgatories` in a meeting; re-entrant if *inner* is."""

    def __init__(self, meeting: Meeting, inner: Any) -> None:
        self._meeting = meeting
        self.inner = inner
        self._depth = 0  # how often its holder has acquired it

    def acquire(self, blocking: bool = True) -> bool:
        """See `threading.Lock.acquire`."""
        if not self.inner.acquire(blocking=False):
            if not blocking:
                return False
            self._meeting.wait_for(self)
        self._depth += 1
        return True

    def release(self) -> None:
        """See `threading.Lock.release`."""
        self._depth -= 1
        is_free = not self._depth
        self.inner.release()
        if is_free:
            self._meeting.released(self)

    def locked(self) -> bool:
        """See `threading.Lock.locked`; a Condition needs it since Python 3.14."""
        return self._depth > 0

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_error: object) -> None:
        self.release()


@contextmanager
def meeting() -> Iterator[Meeting]:
    """A meeting whose locks are those that `purgatories` makes in this context."""
    met = Meeting()
    with ExitStack() as stack:
        for module in _MODULES_WITH_LOCKS:
            for name, make in (("Lock", threading.Lock), ("RLock", threading.RLock)):
                if hasattr(import_module(f"purgatories.{module}"), name):
                    made = partial(_lock, met, make)
                    stack.enter_context(patch(f"purgatories.{module}.{name}", made))
        yield met


def _lock(met: Meeting, make: Callable[[], Any]) -> Lock:
    return Lock(met, make())


@cache
def shared_steps(code: CodeType) -> frozenset[int]:
    """The offsets of the instructions of *code* that may read or write shared state."""
    return frozenset(
        each.offset
        for each in dis.get_instructions(code)
        if not _is_local(each.opcode, each.opname)
    )


def _is_local(opcode: int, name: str) -> bool:
    return (
        opcode in _LOCAL
        or name.startswith(_LOCAL_NAMES)
        or _JUMP_WITHOUT_TEST.fullmatch(name) is not None
    )
