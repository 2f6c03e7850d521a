"""What the build adds: the addresses of the project, and a wheel with compiled modules.

The addresses are those of the repository in PROJECT_URL, which the release workflow sets.

With HATCH_BUILD_HOOKS_ENABLE=1 mypyc compiles the modules that run for each request
(`compiling.modules`). In the wheel the extension modules are beside their source, and Python finds
them first. Every other wheel, and a checkout, runs the source. A C compiler is needed. With
ANTECHAMBER_OPTIMIZATION=profiled too, GCC compiles them twice, the second time for what a broker
runs most. With ANTECHAMBER_OPTIMIZATION=none the build takes the least time, for tests.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


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
        root = Path(self.root)
        sys.path.insert(0, self.root)  # the build system does not have the checkout on its path
        from compiling.build import Optimization, build, extension_modules

        folder = root / "build" / "compiled"
        optimization = os.environ.get("ANTECHAMBER_OPTIMIZATION", Optimization.USUAL.name)
        build(root, folder, Optimization[optimization.upper()])
        for path in extension_modules(folder):
            # In a wheel the packages are below `antechamber`.
            build_data["force_include"][str(path)] = f"antechamber/{path.relative_to(folder)}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
