"""Log lines that contain text of clients."""

from __future__ import annotations

import logging

from broker.process.log_format import PrintableFormatter

FORMAT = PrintableFormatter("%(levelname)s %(message)s")


def formatted(message: str, *arguments: object, error: BaseException | None = None) -> str:
    info = None if error is None else (type(error), error, error.__traceback__)
    return FORMAT.format(
        logging.LogRecord("a", logging.WARNING, "a.py", 1, message, arguments, info)
    )


def test_a_client_cannot_imitate_a_log_line() -> None:
    """Nor can it change the color or the direction of the text."""
    assert formatted("client=%s", "x\nERROR \x1b[31mdisk\u202e") == (
        r"WARNING client=x\nERROR \x1b[31mdisk\u202e"
    )


def test_indented_lines_are_kept() -> None:
    """Tracebacks are logged as indented lines."""
    line = formatted("failed\n%s", "    one\n    two\x07")

    assert line == "WARNING failed\n    one\n    two\\x07"


def test_a_traceback_is_indented() -> None:
    """The message of its exception may contain text of a client."""
    first, *others = formatted("failed", error=ValueError("bad\nERROR \x1b[2J")).split("\n")

    assert first == "WARNING failed"
    assert others == ["    ValueError: bad", r"    ERROR \x1b[2J"]
