"""Webhooks: how many are accepted durably a second, what they cost authorizations, and how fast the queue behind them is worked."""

import base64
import os
import secrets
import statistics
import time
from contextlib import contextmanager

import peers
from load import CONNECTIONS, BadAnswers, Load, Wrk, authorizations, measure, run_wrk, wait_for_first_answer
from processes import Server, split_cores
from report import MEGABYTE, Target, table, warn
from service import Service
from sink import Sink

# A disk that takes this long for each commit: a good hard disk, or a volume across a network.
SLOW_DISK_MS = 6
SLOW_ROUNDS = 2
# Connections with authorizations while their p99 is measured beside webhooks; the target is for the middle.
BESIDE = (8, 16, CONNECTIONS)
SMALL_QUEUE, BACKLOG = 60_000, 1_000_000
QUICK_SMALL_QUEUE, QUICK_BACKLOG = 20_000, 100_000
# Seconds that a started service is given to settle before its memory is read.
SETTLE = 5
# Seconds between webhooks and what is measured without them.
PAUSE = 2
DRAIN_LIMIT = 120
# Notifiers that share a queue, each configured as the one that works it alone.
MANY = 50
CONCURRENCY = 64


def signing_secret():
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


class Webhooks:
    """The state of this part: the workspace, the sink, and the last comment that was sent."""

    def __init__(self, options, workspace):
        self.options, self.workspace = options, workspace
        self.cores = os.sched_getaffinity(0)
        self.path_secret = secrets.token_urlsafe(32)
        self.proof = workspace.write_secret("webhook", self.path_secret)
        self.signature = workspace.write_secret("sink.whsec", signing_secret())
        self.many = [workspace.write_secret(f"sink-{number}.whsec", signing_secret()) for number in range(MANY)]
        self.sink = Sink(workspace)
        self.floor_command = peers.floor(workspace, self.cores)
        self.comment = 10**12

    def service(self, name, environment=None, cores=None, store=None):
        """A service with the sink as its only notifier, which is told of every comment."""
        sink = {
            "type": "http", "url": self.sink.url, "secret": self.signature, "concurrency": CONCURRENCY,
        }
        app = {"webhook": {"secret": self.proof}, "notifiers": ["sink"]}
        return Service(self.options, self.workspace, f"webhooks-{name}", app, environment, cores, store, notifiers={"sink": sink})

    def service_of_many(self):
        """A service with many notifiers that all tell the sink."""
        notifiers = {
            f"sink-{number}": {"type": "http", "url": self.sink.url, "secret": secret, "concurrency": CONCURRENCY}
            for number, secret in enumerate(self.many)
        }
        app = {"webhook": {"secret": self.proof}, "notifiers": list(notifiers)}
        return Service(self.options, self.workspace, "webhooks-many", app, notifiers=notifiers)

    def load(self, connections=CONNECTIONS):
        """Webhooks that nobody has sent before."""
        self.comment += 10**9
        return Load((self.workspace.app_id, self.comment), "webhooks.lua", f"/pyrus/webhook/{self.path_secret}", connections)

    def accept(self, service, seconds, cores=None, connections=CONNECTIONS):
        """One measurement of acceptances; raises BadAnswers when the service has not accepted as many events as it answered 200."""
        def accepted():
            return service.counter("deskgate_webhook_events_total", result="accepted")

        before, cores = accepted(), cores or self.cores
        sample = measure(service.server, seconds, self.load(connections), service.cores, cores, threads=1)
        if accepted() - before < sample.requests:
            raise BadAnswers(f"{service.name}: answered {sample.requests} webhooks with 200 and accepted {accepted() - before:.0f}")
        return sample

    # Acceptances beside the floor in C.

    @contextmanager
    def floor(self, name, cores):
        """The floor, which makes the bodies durable in a journal of its own."""
        path, port = self.workspace.configuration(f"webhooks-{name}", store={"path": "floor.db"})
        command = self.floor_command(path, port)
        server = Server.start("floor (C)", port, command, path.with_name("log"), cores)
        try:
            wait_for_first_answer(server, self.workspace.valid_body())
            yield server
        finally:
            server.stop()
            path.with_name("floor.db-journal").unlink(missing_ok=True)

    def compare(self, name, rounds, server_cores, load_cores):
        """The floor's acceptances and the service's in turn, after a round to warm up: a pair of samples for each round."""
        pairs = []
        with self.floor(f"floor-{name}", server_cores) as floor, (service := self.service(name, cores=server_cores)):
            measured = {
                "floor": lambda: measure(floor, self.options.seconds, self.load(), server_cores, load_cores, threads=1),
                "service": lambda: self.accept(service, self.options.seconds, load_cores),
            }
            for number in range(-1, rounds):
                taken = {side: measured[side]() for side in sorted(measured, reverse=number % 2 == 0)}
                if number >= 0:
                    pairs.append((taken["floor"], taken["service"]))
        service.forget()
        return pairs

    def slow_disk(self):
        """Acceptances a second on a slow disk: at many connections, and at one, where each request has a commit of its own."""
        delay = self.workspace.directory / "slow-disk"
        delay.write_text(str(SLOW_DISK_MS))
        environment = {"LD_PRELOAD": str(peers.slow_disk(self.workspace.directory)), "SLOW_DISK_FILE": str(delay)}
        rates = []
        with (service := self.service("slow", environment)):
            for connections in (CONNECTIONS, 1):
                self.accept(service, 1, connections=connections)
                taken = [self.accept(service, self.options.seconds, connections=connections) for _ in range(SLOW_ROUNDS)]
                rates.append(statistics.median(sample.per_second for sample in taken))
        service.forget()
        return rates

    def disturbed(self):
        """The p99 of authorizations alone and beside webhooks at full rate, in milliseconds, and the webhooks a second: a list of rounds
        for each number of connections."""
        rounds = {connections: [] for connections in BESIDE}
        with (service := self.service("beside")):
            self.accept(service, 1)
            for _ in range(self.options.rounds):
                for connections, taken in rounds.items():
                    taken.append(self.disturb(service, authorizations(self.workspace.bodies, connections)))
        service.forget()
        return rounds

    def disturb(self, service, load):
        # Pages that earlier webhooks left to be written would disturb the measurement without load.
        time.sleep(PAUSE)
        seconds = self.options.seconds
        alone, _ = run_wrk(service.port, seconds, load, self.cores, 1)
        # The webhooks begin before and end after.
        webhooks = Wrk(service.port, seconds + 2, self.load(), self.cores, 1)
        time.sleep(1)
        beside, _ = run_wrk(service.port, seconds, load, self.cores, 1)
        accepted = webhooks.report()
        return alone["p99"] / 1e3, beside["p99"] / 1e3, accepted["requests"] / accepted["microseconds"] * 1e6

    # The queue.

    def memory(self, service):
        """Resident bytes with nothing done but what the queue itself asks for, the sink refusing connections."""
        with service as server:
            time.sleep(SETTLE)
            return server.resident_bytes()

    def drain(self, service, count):
        """Works a queue with the sink: deliveries a second over all of `count`, which must be all or leave some; and the highest memory."""
        sink = self.sink.start(self.cores)
        try:
            with service as server:
                began = self.sink.wait(1, DRAIN_LIMIT, server)["first"]
                ended = self.sink.wait(count, DRAIN_LIMIT, server)
                return (ended["count"] - 1) / (ended["last"] - began) * 1e9, server.resident_bytes()
        finally:
            sink.stop()

    def queues(self):
        """Memory of an empty queue and of a backlog; deliveries a second from a queue that ends and from the backlog, and memory after."""
        quick = self.options.quick
        small, backlog = (QUICK_SMALL_QUEUE, QUICK_BACKLOG) if quick else (SMALL_QUEUE, BACKLOG)
        service = self.service("queue")
        empty = self.memory(service)
        service.fill("fill-events", "sink", small)
        drained, _ = self.drain(service, small)
        service.forget()
        print(f"filling a queue with {backlog:,} took {service.fill('fill-events', 'sink', backlog):.0f} s", flush=True)
        full = self.memory(service)
        from_backlog, draining = self.drain(service, small)
        service.forget()
        return empty, full, draining, drained, from_backlog

    def shared(self):
        """Deliveries a second from a queue that one notifier works, and from one that many share evenly."""
        count = QUICK_SMALL_QUEUE if self.options.quick else SMALL_QUEUE
        rates = []
        for service, names in ((self.service("one"), ["sink"]), (self.service_of_many(), [f"sink-{number}" for number in range(MANY)])):
            service.fill("fill-events", ",".join(names), count)
            rates.append(self.drain(service, count)[0])
            service.forget()
        return rates


def print_rates(pairs, pinned):
    rows = [("", "floor webhooks/s", "webhooks/s", "ratio", "p50 ms", "p99 ms", "floor CPU µs", "CPU µs", "other processes")]
    shown = [(f"round {number + 1}", pair) for number, pair in enumerate(pairs)] + [("pinned", pair) for pair in pinned]
    for name, (floor, accepted) in shown:
        rows.append((
            name, f"{floor.per_second:,.0f}", f"{accepted.per_second:,.0f}", f"{accepted.per_second / floor.per_second:.2f}",
            f"{accepted.p50_ms:.2f}", f"{accepted.p99_ms:.2f}", f"{floor.cpu_us:.1f}", f"{accepted.cpu_us:.1f}",
            f"{accepted.others_busy:.0%}"))
    print("\n".join(table(rows)))
    print("\npinned: the server on one half of the cores, wrk on the other; otherwise all share all.", flush=True)
    warn(sample for pair in (*pairs, *pinned) for sample in pair)


def acceptance_targets(webhooks):
    pairs = webhooks.compare("rate", webhooks.options.rounds, webhooks.cores, webhooks.cores)
    print_rates(pairs, webhooks.compare("pinned", 1, *split_cores()))
    ratio = statistics.median(accepted.per_second / floor.per_second for floor, accepted in pairs)
    yield Target(f"webhooks/s at {CONNECTIONS} connections against a floor in C that journals them >= 0.7: {ratio:.2f}", ratio >= 0.7)
    grouped, single = webhooks.slow_disk()
    print(f"\na disk that takes {SLOW_DISK_MS} ms more: {grouped:,.0f} webhooks/s, {single:,.0f} at one connection", flush=True)
    yield Target(f"webhooks/s on a slow disk against a commit for each >= 10: {grouped / single:.0f}", grouped >= 10 * single)


def disturbance_target(webhooks):
    rounds = webhooks.disturbed()
    rows = [("connections", "p99 ms alone", "beside webhooks", "ratio", "ratio min–max", "webhooks/s meanwhile")]
    ratios = {}
    for connections, taken in rounds.items():
        alone, beside, rate = map(statistics.median, zip(*taken))
        each = [beside / alone for alone, beside, _ in taken]
        ratios[connections] = statistics.median(each)
        rows.append((
            f"{connections}", f"{alone:.2f}", f"{beside:.2f}", f"{ratios[connections]:.2f}", f"{min(each):.2f}–{max(each):.2f}",
            f"{rate:,.0f}"))
    print()
    print("\n".join(table(rows)), flush=True)
    ratio = ratios[BESIDE[1]]
    text = f"p99 of authorizations at {BESIDE[1]} connections beside webhooks at full rate against alone <= 2: {ratio:.2f}"
    return Target(text, ratio <= 2)


def queue_targets(webhooks):
    print()
    empty, full, draining, drained, from_backlog = webhooks.queues()
    growth = (full - empty) / MEGABYTE
    print(f"memory: {empty / MEGABYTE:.1f} MB with an empty queue, {full / MEGABYTE:.1f} MB with the backlog,", end=" ")
    print(f"{draining / MEGABYTE:.1f} MB after working at it", flush=True)
    yield Target(f"deliveries/s to a local sink >= 5,000: {drained:,.0f}", drained >= 5000)
    yield Target(f"memory of the backlog above an empty queue's <= 20 MB: {growth:+.1f} MB", growth <= 20)
    ratio = from_backlog / drained
    yield Target(f"deliveries/s from the backlog against a small queue >= 0.9: {ratio:.2f} ({from_backlog:,.0f})", ratio >= 0.9)
    one, many = webhooks.shared()
    yield Target(f"deliveries/s with {MANY} notifiers against one >= 0.8: {many / one:.2f} ({many:,.0f})", many >= 0.8 * one)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## Webhooks\n", flush=True)
    webhooks = Webhooks(options, workspace)
    return [*acceptance_targets(webhooks), disturbance_target(webhooks), *queue_targets(webhooks)]
