"""The receiver of deliveries, `sink/sink.c`, as a process that may be there or not."""

import http.client
import json
import time
from pathlib import Path

from fixtures import free_port
from peers import build, require
from processes import Server

SOURCE = Path(__file__).parent / "sink" / "sink.c"


class Sink:
    """A port that refuses connections until the sink is started."""

    def __init__(self, workspace):
        self.workspace, self.port = workspace, free_port()
        self.binary = workspace.directory / "sink"
        self.url = f"http://127.0.0.1:{self.port}/"
        build([require("cc"), "-O2", "-Wall", "-o", self.binary, SOURCE])

    def start(self, cores, delay_ms=0):
        """A fresh one, which has counted nothing, and which answers each delivery after a delay."""
        log = self.workspace.directory / "sink.log"
        server = Server.start("sink", self.port, [str(self.binary), str(self.port), str(delay_ms)], log, cores)
        for _ in range(500):
            try:
                self.counted()
                return server
            except OSError:
                server.require_alive()
                time.sleep(0.01)
        raise RuntimeError("the sink does not start")

    def counted(self):
        """How many deliveries came, and when the first and the last, in nanoseconds: `count`, `first`, `last`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request("GET", "/")
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def wait(self, count, limit, server):
        """Waits until so many deliveries have come."""
        deadline = time.monotonic() + limit
        while (counted := self.counted())["count"] < count:
            server.require_alive()
            if time.monotonic() > deadline:
                raise RuntimeError(f"{counted['count']} of {count} deliveries came within {limit} s")
            time.sleep(0.02)
        return counted
