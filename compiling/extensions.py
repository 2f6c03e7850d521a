"""Compiles modules of the working directory beside their source; `compiling.build` starts it.

    modules --mypyc--> C files --C compiler--> objects --> one library, and a shim for each module

The modules of one library call each other directly. An extension module beside each of them loads
the library. It is a process of its own, because mypyc and setuptools write to stdout and end the
process if they fail.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mypyc.build import mypycify
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Folders of the working directory that can be removed; with them the next run takes less time.
GENERATED = "generated"
OBJECTS = f"objects-{sys.implementation.cache_tag}-{sysconfig.get_platform()}"

# `make check` is strict; types of other libraries need not be installed where a wheel is built.
_MYPY = ("--config-file=", "--explicit-package-bases", "--ignore-missing-imports")
# With -O1 a share group took 1.05 to 1.15 times as long from produce to fetch, other requests at
# most 1.05 times.
_OPTIMIZATION = "2"
# The modules call each other inside of the library. With hidden names they do so directly, and not
# by a table that the dynamic linker fills.
_FLAGS = [] if sys.platform == "win32" else ["-fvisibility=hidden"]
# With code and constants in one segment the libraries of all modules take 0.6 MB of memory less.
_LINK_FLAGS = ["-Wl,-z,noseparate-code"] if sys.platform == "linux" else []


class ParallelBuild(build_ext):  # type: ignore[misc]  # setuptools ships no types
    """Compiles the C files that have changed since the last run, on all processors."""

    def build_extension(self, ext: Extension) -> None:
        """Compile the C files of *ext*; setuptools links them."""
        # The options of the compiler are in this file.
        used = (Path(__file__), *Path(GENERATED).rglob("*.h"))
        changed_s = max(path.stat().st_mtime for path in used)

        def compiled(source: str) -> list[str]:
            names: list[str] = self.compiler.object_filenames([source], output_dir=self.build_temp)
            made = Path(names[0])
            newest_s = max(changed_s, Path(source).stat().st_mtime)
            if not made.exists() or made.stat().st_mtime <= newest_s:
                self.compiler.compile(
                    [source],
                    output_dir=self.build_temp,
                    include_dirs=ext.include_dirs,
                    extra_postargs=ext.extra_compile_args,
                )
            return names

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            objects = threads.map(compiled, ext.sources)
            ext.extra_objects = [name for names in objects for name in names]
        ext.sources = []
        super().build_extension(ext)


def main() -> None:
    """Compile the modules that are the arguments; ends with exit code 1 if that is impossible."""
    extensions = mypycify(
        [*_MYPY, f"--platform={sys.platform}", *sys.argv[1:]],
        opt_level=_OPTIMIZATION,
        debug_level="0",
        multi_file=True,
        target_dir=GENERATED,
    )
    for each in extensions:
        each.extra_compile_args += _FLAGS
        each.extra_link_args += _LINK_FLAGS
    setup(
        name="antechamber_compiled",
        packages=[],
        ext_modules=extensions,
        cmdclass={"build_ext": ParallelBuild},
        script_args=["--quiet", "build_ext", "--force", "--inplace", "--build-temp", OBJECTS],
    )


if __name__ == "__main__":
    main()
