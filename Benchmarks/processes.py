"""Servers as process trees: started on given cores, measured through /proc, always stopped."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def split_cores():
    """Two disjoint sets of the cores this process may use: for the server and for the load.

    A closed-loop generator on the server's own cores takes time that the server would use, and takes it from a
    cheap server more than from a dear one: every ratio is drawn towards 1. With cores of their own, the requests a
    second are the server's capacity. Every server sizes itself by its affinity mask, as Deskgate does. The server
    gets the smaller half when the count is odd; on a single core both share it.
    """
    cores = sorted(os.sched_getaffinity(0))
    half = len(cores) // 2
    return (set(cores[:half]), set(cores[half:])) if half else (set(cores), set(cores))


def machine_seconds():
    """CPU time that all processes of the machine, and its host in our stead, have used since boot."""
    user, nice, system, _idle, _wait, *rest = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
    return (user + nice + system + sum(rest)) / TICKS


def members(session):
    """The stat fields, from the state on, and the folder of every process of a session: a server and its workers."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session:
            yield folder, fields


@dataclass
class Server:
    """One server in a session of its own, so that its workers are found and stopped with it."""

    name: str
    port: int
    process: subprocess.Popen
    log: Path

    @classmethod
    def start(cls, name, port, command, log, cores, environment=None):
        """Runs `command` on `cores`, with variables added to the environment. The affinity is inherited, so no helper delays the start."""
        own = os.sched_getaffinity(0)
        with open(log, "wb") as output:
            os.sched_setaffinity(0, cores)
            try:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                    env=os.environ | (environment or {}))
            finally:
                os.sched_setaffinity(0, own)
        return cls(name, port, process, log)

    def cpu_seconds(self):
        """User and system time of all its living processes; the kernel counts in hundredths of a second."""
        return sum(int(fields[11]) + int(fields[12]) for _, fields in members(self.process.pid)) / TICKS

    def resident_bytes(self):
        """VmRSS over all its processes; pages that they share count once for each."""
        total = 0
        for folder, _ in members(self.process.pid):
            try:
                lines = (folder / "status").read_text().splitlines()
            except (FileNotFoundError, ProcessLookupError):
                continue
            total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
        return total

    def peak_bytes(self):
        """The most that VmRSS ever was, of the first process alone."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))

    def require_alive(self):
        if self.process.poll() is not None:
            tail = self.log.read_text(errors="replace").splitlines()[-5:]
            raise RuntimeError("\n  ".join([f"{self.name} ended with {self.process.returncode}:", *tail]))

    def stop(self, patience=5):
        """Asks the session to end and kills what is left of it."""
        for number, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, 5)):
            deadline = time.monotonic() + seconds
            while self._signal(number) and time.monotonic() < deadline:
                self.process.poll()
                time.sleep(0.02)
                number = 0
        self.process.wait()

    def _signal(self, number):
        try:
            os.killpg(self.process.pid, number)
            return True
        except ProcessLookupError:
            return False
