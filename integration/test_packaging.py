"""The distributions: their build, and their installation in empty environments."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from integration.machine.archives import unpack
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess

ROOT = Path(__file__).parent.parent
USER_CODE = Path(__file__).parent / "testdata" / "user_code.py"
STOP_WITHIN_S = 5


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that is built from it."""
    return _built(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    """The wheel."""
    (built,) = distributions.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def source(distributions: Path) -> Path:
    """The source distribution."""
    (built,) = distributions.glob("*.tar.gz")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and its dependencies; the path of its `antechamber`."""
    environment = tmp_path_factory.mktemp("environment")
    _run(sys.executable, "-m", "venv", environment)
    pip = (environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*pip, "install", wheel)
    return environment / "bin" / "antechamber"


@pytest.fixture(scope="module")
def typed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the source distribution, pytest and mypy."""
    environment = tmp_path_factory.mktemp("typed")
    _run(sys.executable, "-m", "venv", environment)
    python = environment / "bin" / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*pip, "install", f"{source}[async,testcontainers]", "pytest", "mypy")
    return python


@pytest.fixture
def serving(installed: Path, tmp_path: Path) -> Iterator[ServerProcess]:
    """A broker of the installed wheel, started where a folder `broker` with a package exists."""
    (tmp_path / "broker").mkdir()
    (tmp_path / "broker" / "__init__.py").write_text("raise SystemExit('not this one')")
    arguments = ["--port", "0", "--admin-port", "0", "--topic", "orders:3"]
    script = 'cd "$1" && shift && exec "$@"'
    command = ["sh", "-c", script, "sh", str(tmp_path), str(installed), "serve", *arguments]
    process = ServerProcess([*command, "--ready-file", "ready.json"], tmp_path / "output")

    def ready() -> bool:
        assert process.exit_code is None, process.stderr()
        return (tmp_path / "ready.json").exists()

    try:
        eventually(ready, "the ready file")
        yield process
    finally:
        process.stop()


@pytest.mark.timeout(400)  # two builds
def test_a_build_is_reproducible(distributions: Path, source: Path, tmp_path: Path) -> None:
    """Another build, from the source distribution, makes the same bytes."""
    unpack(source, tmp_path)
    (unpacked,) = tmp_path.iterdir()
    (unpacked / "PKG-INFO").unlink()  # it is not in a checkout
    for path in unpacked.rglob("*"):
        os.utime(path, (10**9, 10**9))

    again = _built(unpacked, tmp_path / "again")

    assert _hashes(again) == _hashes(distributions)


def test_an_index_accepts_the_distributions(distributions: Path) -> None:
    """Their metadata is complete, and the description can be shown."""
    checked = _run(sys.executable, "-m", "twine", "check", "--strict", *distributions.iterdir())

    assert checked.count("PASSED") == 2


def test_the_wheel_has_completions_and_the_manual_page(wheel: Path) -> None:
    """In the folders of an environment where shells and `man` search."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition(".data/data/")[2] for name in archive.namelist()}

    assert names == {
        "",
        "share/bash-completion/completions/antechamber",
        "share/fish/vendor_completions.d/antechamber.fish",
        "share/man/man1/antechamber.1",
        "share/zsh/site-functions/_antechamber",
    }


def test_the_wheel_has_one_top_level_package(wheel: Path) -> None:
    """Other projects use the names `broker` and `protocol`."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()

    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {"antechamber"}
    assert "antechamber/broker/__main__.py" in names
    assert "antechamber/broker/admin/page/static/index.html" in names
    assert "antechamber/py.typed" in names
    parts = {part for name in names for part in name.split("/")}
    excluded = re.compile(r"tests?|test_.*|__pycache__")
    assert not {part for part in parts if excluded.fullmatch(part)}


def test_pytest_finds_the_plugin(wheel: Path) -> None:
    """The wheel has the entry point of pytest plugins."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        entry_points = archive.read(name).decode()

    assert "[pytest11]\nantechamber = antechamber.pytest_plugin\n" in entry_points


def test_cluster_needs_only_the_wheel(installed: Path, tmp_path: Path) -> None:
    """It works without development tools, in a folder that contains a package named `broker`."""
    (tmp_path / "broker").mkdir()
    (tmp_path / "broker" / "__init__.py").write_text("raise SystemExit('not this one')")
    lines = [
        f"import os; os.chdir({str(tmp_path)!r})",
        "import antechamber",
        "with antechamber.Cluster(topics=['orders:3']) as kafka:",
        "    print(*(topic['name'] for topic in kafka.cluster()['topics']))",
    ]

    assert _run(installed.with_name("python"), "-c", "\n".join(lines)) == "orders\n"


def test_the_version_of_the_installed_command(installed: Path, wheel: Path) -> None:
    """antechamber --version prints the version of the wheel and its build."""
    reported = _run(installed, "--version")

    assert reported.split() == ["antechamber", wheel.name.split("-")[1], "(pure)"]


def test_an_installed_broker_starts_and_stops(serving: ServerProcess, tmp_path: Path) -> None:
    """The line on stdout and the ready file agree; after SIGTERM the exit code is 0."""
    ready = json.loads((tmp_path / "ready.json").read_text())
    (line,) = eventually(lambda: serving.stdout().splitlines(), "the line on stdout")

    assert f"bootstrap={ready['bootstrap']}" in line
    assert f"admin={ready['admin']}" in line
    assert ready["pid"] == serving.pid
    assert [f"{node['host']}:{node['port']}" for node in ready["nodes"]] == [ready["bootstrap"]]
    serving.signal(signal.SIGTERM)
    assert serving.wait(STOP_WITHIN_S) == 0
    assert serving.stderr() == ""


@pytest.mark.timeout(400)  # it installs two environments
def test_user_code_is_checked_strictly_against_the_public_api(typed: Path, tmp_path: Path) -> None:
    """Typical user code has no errors in mypy's strict mode, and a wrong argument is an error."""
    code = USER_CODE.read_text()
    strict = (typed, "-m", "mypy", "--strict", f"--cache-dir={tmp_path / 'cache'}")
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(code)
    wrong.write_text(code.replace("kafka_cluster.pause(3)", 'kafka_cluster.pause("3")'))

    assert _run(*strict, right).startswith("Success")
    done = subprocess.run([*strict, wrong], capture_output=True, text=True, check=False)
    [error, _] = done.stdout.splitlines()
    assert 'Argument 1 to "pause" of "Handle" has incompatible type "str"' in error


def _built(checkout: Path, out: Path) -> Path:
    """Build both distributions as ``make dist`` does."""
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, checkout)
    return out


def _hashes(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def _run(*command: str | Path) -> str:
    """Run a command without this process's environment; returns its output."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL"))}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout
