"""`python -m compiling`: brings the compiled build in build/compiled up to date.

`python -m compiling --profiled` makes a profiled build, and `--check` looks only for a C compiler.
All exit with 1 if this machine cannot compile, with the reason in one line on stderr.
"""

from __future__ import annotations

import sys
from pathlib import Path

from compiling.build import PROFILED, CannotCompile, build, check_compiler, is_built

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "compiled"


def main() -> int:
    """Compile what has changed; returns the exit code."""
    try:
        check_compiler()
        if "--check" in sys.argv[1:]:
            return 0
        is_profiled = PROFILED in sys.argv[1:]
        if not is_built(ROOT, FOLDER, is_profiled=is_profiled):
            sys.stderr.write("compiling the broker, which takes some minutes ...\n")
        build(ROOT, FOLDER, is_profiled=is_profiled)
    except CannotCompile as reason:
        *output, last = str(reason).splitlines()
        sys.stderr.writelines(f"{line}\n" for line in output if "error" in line)
        sys.stderr.write(f"the broker is not compiled: {last}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
