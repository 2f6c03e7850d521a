"""`python -m compiling`: brings the compiled build in build/compiled up to date.

With `--optimization=profiled` it is profiled (`compiling.extensions`). With `--check` nothing is
compiled. The exit code is 1 if this machine cannot compile; the reason is one line on stderr.
"""

from __future__ import annotations

import sys
from pathlib import Path

from compiling.build import CannotCompile, Optimization, build, check_compiler, is_built

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "compiled"


def main() -> int:
    """Compile what has changed; returns the exit code."""
    try:
        check_compiler()
        if "--check" in sys.argv[1:]:
            return 0
        is_profiled = sys.argv[1:] == Optimization.PROFILED.options
        optimization = Optimization.PROFILED if is_profiled else Optimization.USUAL
        if not is_built(ROOT, FOLDER, optimization):
            sys.stderr.write("compiling the broker, which takes some minutes ...\n")
        build(ROOT, FOLDER, optimization)
    except CannotCompile as reason:
        *output, last = str(reason).splitlines()
        sys.stderr.writelines(f"{line}\n" for line in output if "error" in line)
        sys.stderr.write(f"the broker is not compiled: {last}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
