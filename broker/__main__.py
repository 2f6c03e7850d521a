"""The broker's process: reads the command line, serves, and returns the exit code.

0 after an orderly stop; 2 if it cannot start as requested, with the reason in one line on stderr; 1
if its last data directory or its last node has failed, also with one line (the log contains the
traceback).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from broker.command_line.arguments import parse_arguments
from broker.command_line.options import ServeOptions
from broker.command_line.unused_settings import unused_settings
from broker.common.errors import DiskFailed, NodeFailed, StartupError
from broker.process.garbage_collection import excluded_from_garbage_collection
from broker.process.interrupts import EXIT_INTERRUPTED, end_at_interrupt

EXIT_FAILED = 1
EXIT_USAGE = 2
_LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``antechamber serve`` with *arguments* and return the exit code."""
    try:
        _run(parse_arguments(sys.argv[1:] if arguments is None else arguments))
    except StartupError as error:
        sys.stderr.write(f"antechamber serve: {error}\n")
        return EXIT_USAGE
    except (DiskFailed, NodeFailed) as error:
        sys.stderr.write(f"antechamber serve: {error}\n")
        return EXIT_FAILED
    except KeyboardInterrupt:  # Ctrl-C while the options are parsed
        return EXIT_INTERRUPTED
    return 0


def _run(options: ServeOptions) -> None:
    end_at_interrupt()
    # Imported here, so that a wrong option is reported before the whole broker is imported.
    with excluded_from_garbage_collection():
        import logging

        import trio

        from broker.process.descriptor_limit import raise_limit
        from broker.process.log_format import PrintableFormatter
        from broker.server import serve

    raise_limit()
    level = logging.INFO if options.verbose else logging.WARNING
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PrintableFormatter(_LOG_FORMAT))
    logging.basicConfig(level=level, handlers=[handler])
    for warning in unused_settings(options):
        logging.getLogger("antechamber").warning("%s", warning)
    trio.run(serve, options)


if __name__ == "__main__":
    sys.exit(main())
