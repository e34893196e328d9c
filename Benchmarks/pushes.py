"""Pushes: how fast the durable queue reaches simulated providers, what a provider that stalls costs the others, and the queue's memory."""

import statistics
import time

from report import MEGABYTE, Target, table
from service import Service
from simulator import Simulator

QUEUE, FEW = 100_000, 2_000
QUICK_QUEUE = 10_000
STALLED_QUEUE, BESIDE_STALLED = 20_000, 50_000
STREAMS = 500
DRAIN_LIMIT = 180
STALL = {"provider": "fcm", "endpoint": "send", "stall": "stream", "times": None}


class Pushes:
    """The state of this part: the workspace, and how many simulators have been started."""

    def __init__(self, options, workspace):
        self.options, self.workspace = options, workspace
        self.started = 0
        self.queue, self.beside = (QUICK_QUEUE, QUICK_QUEUE) if options.quick else (QUEUE, BESIDE_STALLED)

    def simulator(self, *faults):
        self.started += 1
        return Simulator(self.options, self.workspace.directory / f"simulator-{self.started}", faults)

    def service(self, simulator, *providers):
        """A service that pushes through these providers, as many pushes at a time as h2load."""
        notifiers = {name: simulator.notifiers[name] | {"concurrency": STREAMS} for name in providers}
        return Service(self.options, self.workspace, f"pushes-{self.started}", {"notifiers": list(providers)}, notifiers=notifiers)

    def drain(self, service, count):
        """Starts the service and works the queue of APNs to its end: pushes a second, and the most memory that the process had."""
        def delivered():
            return service.counter("deskgate_deliveries_total", notifier="apns", outcome="delivered")

        with service as server:
            deadline, first = time.monotonic() + DRAIN_LIMIT, None
            while (done := delivered()) < count:
                # The rate is taken from the first look that finds something.
                if first is None and done > 0:
                    first = time.monotonic(), done
                server.require_alive()
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{done:.0f} of {count} pushes came within {DRAIN_LIMIT} s; see {server.log}")
                time.sleep(0.02)
            now = time.monotonic()
            began, before = first or (now, done)
            return (done - before) / max(now - began, 1e-9), server.peak_bytes()

    def rate(self):
        """What h2load reaches, what the queue reaches, and the most memory with few pushes in the queue and with many."""
        with self.simulator() as simulator:
            fastest = simulator.fastest(self.queue, 1, STREAMS)
            service = self.service(simulator, "apns")
            service.fill("fill-pushes", "apns", FEW)
            _, small = self.drain(service, FEW)
            service.forget()
            service.fill("fill-pushes", "apns", self.queue)
            rate, large = self.drain(service, self.queue)
            service.forget()
        return fastest, rate, small, large

    def stalled(self):
        """Pushes a second to APNs alone, and while FCM, with pushes in its queue, answers nothing."""
        with self.simulator(STALL) as simulator:
            service = self.service(simulator, "apns", "fcm")
            service.fill("fill-pushes", "apns", self.beside)
            alone, _ = self.drain(service, self.beside)
            service.forget()
            service.fill("fill-pushes", "apns", self.beside)
            service.fill("fill-pushes", "fcm", STALLED_QUEUE)
            beside, _ = self.drain(service, self.beside)
            service.forget()
        return alone, beside


def rate_targets(pushes):
    measured = [pushes.rate() for _ in range(2)]
    rows = [("", "pushes/s", "h2load's", "ratio", f"peak MB with {FEW:,}", f"with {pushes.queue:,}")]
    for number, (fastest, rate, small, large) in enumerate(measured):
        rows.append((
            f"round {number + 1}", f"{rate:,.0f}", f"{fastest:,.0f}", f"{rate / fastest:.2f}", f"{small / MEGABYTE:.1f}",
            f"{large / MEGABYTE:.1f}"))
    print("\n".join(table(rows)), flush=True)
    rate = statistics.median(rate for _, rate, _, _ in measured)
    ratio = statistics.median(rate / fastest for fastest, rate, _, _ in measured)
    growth = statistics.median(large - small for _, _, small, large in measured) / MEGABYTE
    yield Target(f"APNs pushes/s through the durable queue >= 10,000: {rate:,.0f}", rate >= 10_000)
    yield Target(f"APNs pushes/s against h2load's >= 0.1: {ratio:.2f}", ratio >= 0.1)
    yield Target(f"memory of {pushes.queue:,} queued pushes <= 30 MB: {growth:+.1f} MB", growth <= 30)


def stall_target(pushes):
    rounds = [pushes.stalled() for _ in range(max(2, pushes.options.rounds - 2))]
    rows = [("", "pushes/s alone", "beside a provider that stalls", "ratio")]
    rows += [
        (f"round {number + 1}", f"{alone:,.0f}", f"{beside:,.0f}", f"{beside / alone:.2f}") for number, (alone, beside) in enumerate(rounds)
    ]
    print()
    print("\n".join(table(rows)), flush=True)
    ratio = statistics.median(beside / alone for alone, beside in rounds)
    return Target(f"pushes/s beside a provider that stalls against alone > 0.95: {ratio:.2f}", ratio > 0.95)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## Pushes\n", flush=True)
    pushes = Pushes(options, workspace)
    return [*rate_targets(pushes), stall_target(pushes)]
