"""Load and its measurement: one wrk run, the time to the first answer, memory over a million requests."""

import http.client
import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from cases import PATH
from processes import machine_seconds

CONNECTIONS = 64
# The share of the machine that other processes may take before a round is repeated.
DISTURBED = 0.05
SCRIPT = Path(__file__).with_name("load.lua")


@dataclass(frozen=True)
class Sample:
    """One run of wrk against one server."""

    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    server_busy: float
    load_busy: float
    others_busy: float


class BadAnswers(Exception):
    """Under load, a server refused a valid request or broke a connection."""


def run_wrk(port, seconds, bodies, cores):
    """Loads a server; returns wrk's report and the CPU seconds that wrk itself used."""
    connections = max(CONNECTIONS, len(cores))
    command = ["wrk", f"-t{len(cores)}", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(SCRIPT)]
    command += [f"http://127.0.0.1:{port}{PATH}", "--", str(bodies)]
    own, before = os.sched_getaffinity(0), os.times()
    os.sched_setaffinity(0, cores)
    try:
        finished = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=True)
    finally:
        os.sched_setaffinity(0, own)
    after = os.times()
    report = json.loads(finished.stdout.rstrip().rpartition("\n")[2])
    return report, after.children_user + after.children_system - before.children_user - before.children_system


def measure(server, seconds, bodies, server_cores, load_cores):
    """One sample; raises BadAnswers unless every request was answered with success."""
    before, machine_before, began = server.cpu_seconds(), machine_seconds(), time.monotonic()
    report, load_cpu = run_wrk(server.port, seconds, bodies, load_cores)
    cpu, machine_cpu, elapsed = server.cpu_seconds() - before, machine_seconds() - machine_before, time.monotonic() - began
    server.require_alive()
    if report["refused"] or report["broken"] or not report["requests"]:
        raise BadAnswers(f"{server.name}: {report['refused']} not 2xx, {report['broken']} socket errors of {report['requests']} requests")
    duration = report["microseconds"] / 1e6
    return Sample(
        requests=report["requests"],
        per_second=report["requests"] / duration,
        p50_ms=report["p50"] / 1e3,
        p99_ms=report["p99"] / 1e3,
        cpu_us=cpu * 1e6 / report["requests"],
        server_busy=cpu / (duration * len(server_cores)),
        load_busy=load_cpu / (duration * len(load_cores)),
        others_busy=max(0.0, machine_cpu - cpu - load_cpu) / (elapsed * os.cpu_count()),
    )


def wait_for_first_answer(server, body, limit=20):
    """Asks in a tight loop until a valid key is authorized; raises RuntimeError when that takes `limit` seconds."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        try:
            connection.request("POST", PATH, body, {"Content-Type": "application/json"})
            if connection.getresponse().status == 200:
                return
        except (OSError, http.client.HTTPException):
            server.require_alive()
        finally:
            connection.close()
    raise RuntimeError(f"{server.name} did not authorize a valid key within {limit} s; see {server.log}")


def start_times(start, body, times):
    """Milliseconds from the spawn to the first 200, for a number of fresh starts."""
    measured = []
    for _ in range(times):
        began = time.monotonic()
        server = start()
        try:
            wait_for_first_answer(server, body)
            measured.append((time.monotonic() - began) * 1e3)
        finally:
            server.stop()
    return measured


@dataclass(frozen=True)
class Memory:
    """Resident bytes of a fresh server before any load, and after each of two equal loads of `requests` requests."""

    requests: int
    idle: int
    first: int
    second: int

    @property
    def growth(self):
        return self.second / self.first - 1


def memory(start, workspace, requests, load_cores):
    """Starts a server of its own, so that nothing measured before has touched its memory."""
    server = start()
    try:
        wait_for_first_answer(server, workspace.valid_body())
        time.sleep(1)
        levels = [server.resident_bytes()]
        for _ in range(2):
            done = 0
            while done < requests:
                report, _ = run_wrk(server.port, 2, workspace.bodies, load_cores)
                if report["refused"] or report["broken"]:
                    raise BadAnswers(f"{server.name}: {report['refused']} not 2xx, {report['broken']} socket errors")
                done += report["requests"]
                server.require_alive()
            levels.append(server.resident_bytes())
        return Memory(requests, *levels)
    finally:
        server.stop()
