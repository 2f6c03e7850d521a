"""Compiles modules of the working directory beside their source; `compiling.build` starts it.

    modules --mypyc--> C files --C compiler--> objects --> one library, and a shim for each module

The modules of one library call each other directly. An extension module beside each of them loads
the library. It is a process of its own, because mypyc and setuptools write to stdout and end the
process if they fail.

With ``--optimization=profiled`` GCC compiles the C files twice. The first library counts how often
each branch of the code is taken while brokers run `compiling.workload`. With these counts the
second one has the code of these requests in few pages, and what does not run is optimized for size.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path

from mypyc.build import mypycify
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Folders of the working directory that can be removed; with them the next run takes less time.
GENERATED = "generated"
OBJECTS = Path(f"objects-{sys.implementation.cache_tag}-{sysconfig.get_platform()}")
COUNTS = "counts"

# `make check` is strict; types of other libraries need not be installed where a wheel is built.
_MYPY = ("--config-file=", "--explicit-package-bases", "--ignore-missing-imports")
# Without optimization the build takes 0.6 times as long as with -O2. With -O1 a share group took
# 1.05 to 1.15 times as long from produce to fetch as with -O2, other requests at most 1.05 times.
_LEVELS = {"none": "0", "usual": "2", "profiled": "2"}
# The modules call each other inside of the library. With hidden names they do so directly, and not
# by a table that the dynamic linker fills.
# mypyc makes warnings errors; which ones there are depends on the compiler and on what it inlines.
_FLAGS = [] if sys.platform == "win32" else ["-fvisibility=hidden", "-Wno-error"]
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
    parser = ArgumentParser()
    parser.add_argument("--optimization", choices=_LEVELS, default="usual")
    parser.add_argument("modules", nargs="+")
    given = parser.parse_args()
    extensions = mypycify(
        [*_MYPY, f"--platform={sys.platform}", *given.modules],
        opt_level=_LEVELS[given.optimization],
        debug_level="0",
        multi_file=True,
        target_dir=GENERATED,
    )
    if given.optimization == "profiled":
        _compile_with_counts(extensions, OBJECTS / given.optimization)
    else:
        _compile(extensions, OBJECTS / given.optimization)


def _compile_with_counts(extensions: Sequence[Extension], objects: Path) -> None:
    """Compile *extensions* with counters, run the workload, and compile with the counts."""
    counts = Path(COUNTS).resolve()
    # An object finds its counts by its name, and counts are valid for one state of the source.
    shutil.rmtree(counts, ignore_errors=True)
    _remove(objects)
    _compile(extensions, objects, f"-fprofile-generate={counts}")
    path = os.pathsep.join((os.getcwd(), str(Path(__file__).parent.parent)))
    subprocess.run(
        [sys.executable, "-P", "-m", "compiling.workload"],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
    )
    _remove(objects)
    # Threads count without locks, so a few counts are inconsistent.
    _compile(extensions, objects, f"-fprofile-use={counts}", "-fprofile-correction")


def _remove(objects: Path) -> None:
    """Remove the objects; setuptools makes their folders only once."""
    for path in objects.rglob("*.o"):
        path.unlink()


def _compile(extensions: Sequence[Extension], objects: Path, *profile: str) -> None:
    """Compile *extensions*; *profile* has the options of the library that has all modules."""
    compiled = deepcopy(extensions)
    for each in compiled:
        options = profile if each.name.endswith("__mypyc") else ()
        # mypyc gives all extensions one list.
        each.extra_compile_args = [*each.extra_compile_args, *_FLAGS, *options]
        each.extra_link_args = [*each.extra_link_args, *_LINK_FLAGS, *options]
    setup(
        name="antechamber_compiled",
        packages=[],
        ext_modules=compiled,
        cmdclass={"build_ext": ParallelBuild},
        script_args=["--quiet", "build_ext", "--force", "--inplace", "--build-temp", str(objects)],
    )


if __name__ == "__main__":
    main()
