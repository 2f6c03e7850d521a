"""A wheel with compiled modules: what `HATCH_BUILD_HOOKS_ENABLE=1 pip install .` does besides.

mypyc makes extension modules of the few that Python itself is slow at, and they lie beside their
source in the wheel, found first. Nothing else differs: every other wheel, and a checkout, runs that
source. Needs a C compiler.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# One pass over all records of a batch: when there are many, a leader spends most of its time here.
# Each module may import only others of these.
MODULES = (
    "protocol/record_batch/numbers.py",
    "protocol/record_batch/runs.py",
    "protocol/record_batch/scan.py",
)


class CompiledWheel(BuildHookInterface[Any]):
    """Adds the extension modules to the wheel, which is for this Python and platform then."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See hatchling."""
        if version == "editable":
            return
        folder = Path(self.root) / "build" / "compiled"
        shutil.rmtree(folder, ignore_errors=True)
        for path in compiled(Path(self.root), MODULES, folder):
            # Where the rooms lie in a wheel.
            build_data["force_include"][str(path)] = f"antechamber/{path.relative_to(folder)}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def compiled(root: Path, modules: Sequence[str], folder: Path) -> list[Path]:
    """Compile *modules* of *root* into *folder*; the files that Python is to find there."""
    for module in modules:
        (folder / module).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / module, folder / module)
    return compile_in_place(modules, folder)


def compile_in_place(modules: Sequence[str], folder: Path) -> list[Path]:
    """Compile *modules* of *folder* where they are; raises SystemExit if that cannot be."""
    command = [sys.executable, "-m", "mypyc", "--strict", "--explicit-package-bases", *modules]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"mypyc could not compile: {(done.stdout + done.stderr).strip()[-2000:]}")
    shutil.rmtree(folder / "build")
    return sorted(folder.rglob("*.so")) + sorted(folder.rglob("*.pyd"))
