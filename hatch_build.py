"""What the build adds: the addresses of the project, and a wheel with compiled modules.

The addresses are those of the repository in PROJECT_URL, which the release workflow sets.

With HATCH_BUILD_HOOKS_ENABLE=1 mypyc compiles the few modules that are slow in CPython. In the
wheel the extension modules are beside their source, and Python finds them first. Every other wheel,
and a checkout, runs the source. A C compiler is needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# They check all records of a batch, which takes most of a leader's time if there are many records.
# Each may import only others of these modules.
MODULES = (
    "protocol/record_batch/numbers.py",
    "protocol/record_batch/runs.py",
    "protocol/record_batch/scan.py",
)


class Addresses(MetadataHookInterface):
    """Sets the project's addresses, if PROJECT_URL is the address of its repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set ``urls``; called by hatchling."""
        metadata["urls"] = addresses(os.environ.get("PROJECT_URL", ""), metadata["version"])


def addresses(repository: str, version: str) -> dict[str, str]:
    """The addresses of a version, by their labels; none without a *repository*."""
    if not repository:
        return {}
    files = f"{repository}/blob/v{version}"
    return {
        "Source": repository,
        "Documentation": f"{files}/docs/tutorial.md",
        "Changelog": f"{files}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
        "Security": f"{repository}/security/policy",
    }


class CompiledWheel(BuildHookInterface[Any]):
    """Adds the extension modules to the wheel and marks it with this Python and platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the modules, unless the wheel is editable; called by hatchling."""
        if version == "editable":
            return
        folder = Path(self.root) / "build" / "compiled"
        shutil.rmtree(folder, ignore_errors=True)
        for path in compiled(Path(self.root), MODULES, folder):
            # In a wheel the packages are below `antechamber`.
            build_data["force_include"][str(path)] = f"antechamber/{path.relative_to(folder)}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def compiled(root: Path, modules: Sequence[str], folder: Path) -> list[Path]:
    """Compile *modules* of *root* into *folder*; returns the extension modules."""
    for module in modules:
        (folder / module).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / module, folder / module)
    return compile_in_place(modules, folder)


def compile_in_place(modules: Sequence[str], folder: Path) -> list[Path]:
    """Compile *modules* of *folder* beside their source; raises SystemExit if mypyc fails."""
    command = [sys.executable, "-m", "mypyc", "--strict", "--explicit-package-bases", *modules]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"mypyc could not compile: {(done.stdout + done.stderr).strip()[-2000:]}")
    shutil.rmtree(folder / "build")
    return sorted(folder.rglob("*.so")) + sorted(folder.rglob("*.pyd"))
