"""The job on a standalone cluster of Spark: a master and two workers, one killed on the way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyspark
import pytest
from pyspark.sql import SparkSession

from integration.machine.deadlines import eventually
from integration.pipeline.conftest import QUICK_JAVA
from integration.pipeline.definitions import WINDOW_S, same
from integration.processes.server_process import ServerProcess, free_ports
from pipeline.output.store import Store

pytestmark = [pytest.mark.long, pytest.mark.jvm, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
SPARK = Path(pyspark.__file__).parent
LOOPBACK = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK)}
LOOPBACK |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
# Each Java process runs for seconds: that which makes a command line, a master, a worker, and those
# of the job.
QUICK = {"SPARK_LAUNCHER_OPTS": QUICK_JAVA, "SPARK_DAEMON_JAVA_OPTS": QUICK_JAVA}
SMALL = {
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": QUICK_JAVA,
    "spark.executor.extraJavaOptions": QUICK_JAVA,
}


class Cluster(NamedTuple):
    """The address of a master, and its workers."""

    address: str
    workers: list[ServerProcess]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A master and two workers of pyspark's own jars, with a core each, on loopback."""
    for name, value in (LOOPBACK | QUICK).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SPARK_WORKER_DIR", str(tmp_path / "work"))
    port, *pages = map(str, free_ports(4))
    started: list[ServerProcess] = []

    def start(kind: str, page: str, *words: str) -> ServerProcess:
        command = [str(SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}"]
        options = ["--host", "127.0.0.1", "--webui-port", page, *words]
        started.append(ServerProcess([*command, *options], tmp_path / f"{kind}-{page}"))
        return started[-1]

    try:
        address = f"spark://127.0.0.1:{port}"
        master = start("master.Master", pages[0], "--port", port)
        eventually(lambda: "I have been elected leader" in master.stderr(), "a master")
        small = ("--cores", "1", "--memory", "600m", address)
        workers = [start("worker.Worker", page, *small) for page in pages[1:]]
        for worker in workers:
            eventually(lambda: registered(worker), "a worker")  # noqa: B023 - called at once
        yield Cluster(address, workers)
    finally:
        for process in started:
            process.kill()


def registered(worker: ServerProcess) -> bool:
    """Whether a worker has found its master."""
    return "Successfully registered with master" in worker.stderr()


def submit(cluster: Cluster, records: Path, out: Path, folder: Path) -> ServerProcess:
    """Start the job as the documentation does."""
    settings = [word for pair in SMALL.items() for word in ("--conf", "=".join(pair))]
    script = ROOT / "pipeline" / "__main__.py"
    command = [
        str(SPARK / "bin" / "spark-submit"),
        "--master",
        cluster.address,
        *settings,
        str(script),
    ]
    words = [str(records), "--out", str(out), "--window", str(WINDOW_S)]
    return ServerProcess([*command, *words], folder)


def test_a_cluster_that_loses_a_worker_gives_the_same_tables(
    cluster: Cluster, spark: SparkSession, recorded: Path, tmp_path: Path
) -> None:
    """The work of the killed worker, and the rows that it had, are computed again."""
    out = tmp_path / "out"
    job = submit(cluster, recorded, out, tmp_path / "job")
    try:
        # The rows are distributed, and the tables are being written.
        eventually(lambda: "writing the tables of" in job.stdout(), "tables", within=300)
        assert all("Asked to launch executor" in each.stderr() for each in cluster.workers)
        cluster.workers[1].kill()
        assert not (out / "tables.json").exists()
        code = job.wait(400)
    finally:
        job.kill()

    assert code == 0, job.stderr()
    assert job.stdout().endswith(f"report: {out}/report.html\n")
    same(Store(spark, str(out)), recorded.read_text().splitlines())
