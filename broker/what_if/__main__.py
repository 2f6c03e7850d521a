"""The process of ``antechamber what-if``: 0, or 2 with one line if the input is invalid."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from broker.common.errors import StartupError
from broker.process.interrupts import EXIT_INTERRUPTED, end_at_interrupt, raise_at_interrupt
from broker.what_if.arguments import Arguments, parse

EXIT_USAGE = 2


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    try:
        sys.stdout.write(_report(parse(sys.argv[1:] if words is None else words)))
    except StartupError as error:
        sys.stderr.write(f"antechamber what-if: {error}\n")
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return 0


def _report(arguments: Arguments) -> str:
    end_at_interrupt()
    # Imported here, so that a wrong option is reported before the whole broker is imported.
    from broker.what_if.recording import read
    from broker.what_if.replay import replay
    from broker.what_if.report import json_text, report, table
    from broker.what_if.settings import UNCHANGED

    raise_at_interrupt()
    recording, settings = read(arguments.records), arguments.settings
    for place in recording.left_out:
        sys.stderr.write(f"antechamber what-if: {place} is cut off and left out\n")
    unchanged = replay(recording, UNCHANGED)
    changed = None if settings == UNCHANGED else replay(recording, settings)
    facts = report(recording.latencies, unchanged, changed, settings)
    return json_text(facts) if arguments.json else table(facts)


if __name__ == "__main__":
    sys.exit(main())
