"""Celery with kombu's Kafka transport: a worker in a process of its own runs a task."""

import subprocess
import sys
import time
from pathlib import Path

from celery import Celery

BOOTSTRAP, RESULT = sys.argv[-2:]
app = Celery("celery_adds", broker=f"confluentkafka://{BOOTSTRAP}")
app.conf.broker_connection_retry_on_startup = True


@app.task(name="add")
def add(x, y):
    """The task: it writes its result to a file."""
    Path(RESULT).write_text(str(x + y))


if __name__ == "__main__" and "worker" in sys.argv:
    app.worker_main(["worker", "--pool", "solo", "--loglevel", "ERROR"])
elif __name__ == "__main__":
    command = [sys.executable, __file__, "worker", BOOTSTRAP, RESULT]
    with subprocess.Popen(command) as worker:
        add.delay(2, 3)
        deadline = time.monotonic() + 60
        while not Path(RESULT).exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        worker.terminate()
    print(Path(RESULT).read_text())
