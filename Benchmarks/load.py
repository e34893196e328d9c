"""Load and its measurement: a run of wrk, the time to the first answer, memory over a million requests."""

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
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Load:
    """What wrk sends, as a script and its arguments say it, to which path and on how many connections."""

    arguments: tuple
    script: str = "load.lua"
    path: str = PATH
    connections: int = CONNECTIONS


def authorizations(bodies, connections=CONNECTIONS):
    """Cycles through the bodies of a file."""
    return Load((str(bodies),), connections=connections)


class BadAnswers(Exception):
    """Under load, a server refused a valid request or broke a connection."""


@dataclass(frozen=True)
class Sample:
    """One run of wrk against one server."""

    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float
    longest_ms: float
    cpu_us: float
    server_busy: float
    load_busy: float
    others_busy: float


class Wrk:
    """A run of wrk against a port of this machine, from its start on; many threads only where the script allows it."""

    def __init__(self, port, seconds, load, cores, threads):
        self.seconds, connections = seconds, max(load.connections, threads)
        command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", load.script]
        command += [f"http://127.0.0.1:{port}{load.path}", "--", *map(str, load.arguments)]
        own = os.sched_getaffinity(0)
        os.sched_setaffinity(0, cores)
        try:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HERE)
        finally:
            os.sched_setaffinity(0, own)

    def report(self):
        """Waits for the end; wrk's report, checked to have loaded: raises BadAnswers unless all requests were answered with success."""
        try:
            output, complaint = self.process.communicate(timeout=self.seconds + 60)
        except BaseException:
            self.process.kill()
            raise
        if self.process.returncode != 0:
            raise RuntimeError(f"wrk ended with {self.process.returncode}: {complaint}")
        report = json.loads(output.rstrip().rpartition("\n")[2])
        if report["refused"] or report["broken"] or not report["requests"]:
            raise BadAnswers(f"{report['refused']} not 2xx, {report['broken']} socket errors of {report['requests']} requests")
        return report


def run_wrk(port, seconds, load, cores, threads=None):
    """Loads a server; returns wrk's report and the CPU seconds that wrk itself used."""
    before = os.times()
    report = Wrk(port, seconds, load, cores, threads or len(cores)).report()
    after = os.times()
    return report, after.children_user + after.children_system - before.children_user - before.children_system


def measure(server, seconds, load, server_cores, load_cores, threads=None):
    """One sample; raises BadAnswers unless every request was answered with success."""
    before, machine_before, began = server.cpu_seconds(), machine_seconds(), time.monotonic()
    try:
        report, load_cpu = run_wrk(server.port, seconds, load, load_cores, threads)
    except BadAnswers as error:
        raise BadAnswers(f"{server.name}: {error}") from None
    finally:
        server.require_alive()
    cpu, machine_cpu, elapsed = server.cpu_seconds() - before, machine_seconds() - machine_before, time.monotonic() - began
    duration = report["microseconds"] / 1e6
    return Sample(
        requests=report["requests"],
        per_second=report["requests"] / duration,
        p50_ms=report["p50"] / 1e3,
        p99_ms=report["p99"] / 1e3,
        longest_ms=report["longest"] / 1e3,
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
                report, _ = run_wrk(server.port, 2, authorizations(workspace.bodies), load_cores)
                done += report["requests"]
                server.require_alive()
            levels.append(server.resident_bytes())
        return Memory(requests, *levels)
    finally:
        server.stop()
