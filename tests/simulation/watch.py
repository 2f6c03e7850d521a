"""Seeing what else could not be seen: each single move of a high watermark, and swallowed errors.

A broker that goes on after an error in a completion has logged it; for a run it is the end.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

from broker.replication.leadership import Leadership
from tests.simulation.rules import Rules
from tests.simulation.violation import Violation


class _Logs(logging.Handler):
    """What the broker logs becomes a part of the history."""

    def __init__(self, rules: Rules, tell: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._rules = rules
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(f"    {record.getMessage()}")
        if record.exc_info and self._rules.broken is None:
            error = record.exc_info[1]
            self._rules.broken = Violation(f"an error was swallowed: {error!r}")
            self._rules.broken.__cause__ = error


@contextmanager
def watched(rules: Rules, tell: Callable[[str], None]) -> Iterator[None]:
    """Tell *rules*, and in words *tell*, of all that happens inside."""
    increment = Leadership.maybe_increment_high_watermark

    def maybe_increment_high_watermark(self: Leadership) -> bool:
        moved = increment(self)
        if moved:
            node, epoch = self._node.node_id, self.registration.leader_epoch
            tell(
                f"    {self._key}: high watermark {self._log.high_watermark} on node {node}, "
                f"epoch {epoch}, in sync {self.isr.maximal}"
            )
            rules.check_leads(node, self._key, self)
            rules.high_watermark_moved(node, self._key, epoch, self._log)
        return moved

    logs = _Logs(rules, tell)
    replication = logging.getLogger("antechamber.replication")
    level = replication.level
    replication.setLevel(logging.INFO)
    logging.getLogger().addHandler(logs)
    try:
        with patch.object(
            Leadership, "maybe_increment_high_watermark", maybe_increment_high_watermark
        ):
            yield
    finally:
        logging.getLogger().removeHandler(logs)
        replication.setLevel(level)
