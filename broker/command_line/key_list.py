"""``antechamber serve --list-keys``: the configuration keys with their defaults and meanings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from broker.config.kinds import Value
from broker.config.table import KEYS

EXIT_UNWRITTEN = 1


class ListKeys(argparse.Action):
    """Prints the keys and ends the process, as ``--help`` does."""

    def __init__(self, option_strings: Sequence[str], dest: str, **given: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, **given)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Called by argparse when the option occurs."""
        try:
            sys.stdout.write("".join(f"{line}\n" for line in key_list()))
            sys.stdout.flush()
        except BrokenPipeError:
            sys.stdout = None  # otherwise Python tries to flush it again at exit
            parser.exit(EXIT_UNWRITTEN)
        except OSError as error:
            sys.stdout = None
            parser.exit(EXIT_UNWRITTEN, f"antechamber: write error: {error.strerror}\n")
        parser.exit()


def key_list() -> Iterator[str]:
    """Two lines for each key that has an effect, in alphabetical order."""
    for name, key in sorted(KEYS.items()):
        if key.unused is None and not key.internal:
            yield f"{name}={_written(key.default)}"
            yield f"    {key.documentation}"


def _written(value: Value) -> str:
    """A default as in a file of properties; nothing if there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
