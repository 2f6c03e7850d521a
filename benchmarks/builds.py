"""The folder of this broker's compiled build, which the benchmarks measure beside the pure one."""

from __future__ import annotations

import sys
from pathlib import Path

from compiling.build import CannotCompile, Optimization, build, has_gcc

ROOT = Path(__file__).parent.parent
COMPILED = ROOT / "build" / "compiled"


def compiled_packages() -> Path | None:
    """Return the folder of the compiled packages, compiled now if necessary, or print why not."""
    try:
        build(ROOT, COMPILED, Optimization.PROFILED if has_gcc() else Optimization.USUAL)
    except CannotCompile as reason:
        print(f"without the compiled build: {str(reason).splitlines()[-1]}", file=sys.stderr)
        return None
    return COMPILED
