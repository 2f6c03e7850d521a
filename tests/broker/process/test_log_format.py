"""Log lines with what clients have put into them."""

from __future__ import annotations

import logging

from broker.process.log_format import PrintableFormatter

FORMAT = PrintableFormatter("%(levelname)s %(message)s")


def formatted(message: str, *arguments: object, error: BaseException | None = None) -> str:
    info = None if error is None else (type(error), error, error.__traceback__)
    return FORMAT.format(
        logging.LogRecord("a", logging.WARNING, "a.py", 1, message, arguments, info)
    )


def test_a_client_cannot_forge_a_line() -> None:
    """Nor color one, nor turn its direction."""
    assert formatted("client=%s", "x\nERROR \x1b[31mdisk\u202e") == (
        r"WARNING client=x\nERROR \x1b[31mdisk\u202e"
    )


def test_indented_lines_stay() -> None:
    """Tracebacks are logged so; what is indented is no line of its own."""
    line = formatted("failed\n%s", "    one\n    two\x07")

    assert line == "WARNING failed\n    one\n    two\\x07"


def test_a_traceback_is_indented() -> None:
    """The text of its exception may be a client's, too."""
    first, *others = formatted("failed", error=ValueError("bad\nERROR \x1b[2J")).split("\n")

    assert first == "WARNING failed"
    assert others == ["    ValueError: bad", r"    ERROR \x1b[2J"]
