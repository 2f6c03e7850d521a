"""``python -m pipeline``, and the script for ``spark-submit``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):  # run by path: the parent folder contains the package
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

EXIT_FAILED = 1
_EXTRA = "pip install 'antechamber[pipeline]'"


def main(words: Sequence[str] | None = None) -> int:
    """Run the analysis and return the exit code."""
    from pipeline.arguments import EXIT_EXCEEDED, parse

    arguments = parse(sys.argv[1:] if words is None else words)
    if arguments.check:
        from pipeline.output.manifest import DELTA
        from pipeline.spark.requirements import check

        delta = arguments.table_format == DELTA
        return EXIT_FAILED if check(sys.stdout.write, delta=delta) else 0
    try:
        from pipeline.analysis import run
        from pipeline.errors import PipelineError
        from pipeline.printable import printable
        from pipeline.summary import Display
    except ModuleNotFoundError as missing:
        sys.stderr.write(f"antechamber analyze: {missing.name} is not installed; {_EXTRA}\n")
        return EXIT_FAILED
    try:
        above = run(arguments, Display())
    except PipelineError as error:
        sys.stderr.write(f"antechamber analyze: {printable(str(error))}\n")
        return EXIT_FAILED
    except OSError as error:
        where = printable(str(error.filename or "stdout"))
        sys.stderr.write(f"antechamber analyze: {error.strerror}: {where}\n")
        sys.stdout = None  # otherwise Python tries to flush it again at exit
        return EXIT_FAILED
    except KeyboardInterrupt:
        return 130
    return EXIT_EXCEEDED if above else 0


if __name__ == "__main__":
    sys.exit(main())
