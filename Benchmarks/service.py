"""`deskgate serve` with a store on a disk, for what must be durable: its configuration, its file, its metrics."""

import http.client
import json
import os
import re
import subprocess
import time
from pathlib import Path

from load import wait_for_first_answer
from processes import Server

# Of the file systems that Linux has, those that keep nothing through a loss of power.
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs", "devtmpfs")
START_LIMIT = 120


def require_disk(directory):
    """Raises RuntimeError when a directory is kept in memory: what is durable there costs nothing."""
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    path = str(Path(directory).resolve())
    kind = max((len(point), kind) for point, kind in mounts if path == point or path.startswith(point.rstrip("/") + "/"))[1]
    if kind in MEMORY_FILE_SYSTEMS:
        raise RuntimeError(f"{directory} is on {kind}, not on a disk; give another with --disk")


class Service:
    """One configuration with its store, which may be started and stopped several times."""

    def __init__(self, options, workspace, name, app=None, environment=None, cores=None, store=None, **members):
        self.options, self.workspace, self.name = options, workspace, name
        self.environment, self.cores = environment, cores or os.sched_getaffinity(0)
        store = {"max_pending": 1_000_000_000, **(store or {"type": "sqlite", "path": "deskgate.db"})}
        members = {"store": store, "log": {"level": "error"}, **members}
        self.path, self.port = workspace.configuration(name, app, **members)
        self.admin_port = json.loads(self.path.read_text())["admin"]["port"]
        self.database = self.path.with_name(store.get("path", "deskgate.db"))
        self.server = None

    def __enter__(self):
        command = [str(Path(self.options.deskgate).resolve()), "serve", "--config", str(self.path)]
        log = self.path.with_name("log")
        self.server = Server.start(self.name, self.port, command, log, self.cores, self.environment)
        try:
            wait_for_first_answer(self.server, self.workspace.valid_body(), START_LIMIT)
        except BaseException:
            self.server.stop()
            raise
        return self.server

    def __exit__(self, *_):
        self.server.stop(patience=30)

    def forget(self):
        """Removes the store's files, which can be large."""
        for file in self.path.parent.glob("deskgate.db*"):
            file.unlink()

    def fill(self, command, *arguments):
        """Puts something into the store while nobody serves it; how long that took, in seconds."""
        began = time.monotonic()
        words = [self.options.micro, command, self.database, self.workspace.app_id, *arguments]
        subprocess.run([str(word) for word in words], check=True)
        return time.monotonic() - began

    def counter(self, name, **labels):
        """The sum of a metric's samples that have these labels."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=30)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        lines = (line for line in text.splitlines() if re.match(rf"{name}[{{ ]", line))
        wanted = [f'{label}="{value}"' for label, value in labels.items()]
        return sum(float(line.rpartition(" ")[2]) for line in lines if all(part in line for part in wanted))
