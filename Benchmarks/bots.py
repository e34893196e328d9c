"""Bots: what a validated call adds to the backend's own time, and whether a backend that hangs delays authorizations."""

import http.client
import json
import os
import selectors
import socket
import statistics
import time
from contextlib import contextmanager

from fixtures import mint
from load import CONNECTIONS, Load, Wrk, authorizations, measure, run_wrk
from report import Target, table, warn
from service import Service
from sink import Sink
from webhooks import signing_secret

# Each call is the next one's: of one person only sixteen calls are under way at a time.
USERS = [f"customer-{number}" for number in range(1, 17)]
# Connections with authorizations while calls hang, as beside webhooks.
BESIDE = 16
HANGING = 1000
# Longer than any measurement: a backend that answers after this time hangs.
HANG_MS = 600_000
LONG_SECONDS = 10
# How much longer than a measurement a call hangs, in seconds.
MORE_SECONDS = 5
MOST_CPU_US = 300
MOST_ADDED_MS = 1
# Of p99s of the same load in a row, the larger is often a tenth above the smaller.
MOST_DELAY = 1.25


class Bots:
    """The state of this part: a backend, and a service with a bot that has a function of each kind."""

    def __init__(self, options, workspace):
        self.options, self.workspace = options, workspace
        self.cores = os.sched_getaffinity(0)
        self.signature = workspace.write_secret("bot.whsec", signing_secret())
        self.token = workspace.write_secret("bot-token", "a-token-of-the-backend")
        self.sink = Sink(workspace)
        self.order = 10**9

    def service(self, name):
        """A service whose bot reads an order, changes one, and calls a backend that does not answer."""
        order = {"type": "string", "description": "The order's number.", "maxLength": 64}

        def function(name, method, path):
            return {
                "name": name, "description": "Does something with an order.", "bind": {"customer_id": "user_id"},
                "parameters": {
                    "type": "object", "properties": {"order_id": order, "customer_id": {"type": "string"}},
                    "required": ["order_id", "customer_id"],
                },
                "request": {
                    "method": method, "url": f"http://127.0.0.1:{self.sink.port}{path}", "headers": {"X-Token": self.token},
                    "timeout_ms": 1000 * (max(self.options.seconds, LONG_SECONDS) + MORE_SECONDS),
                },
                "limits": [], **({} if method == "GET" else {"confirm": "none"}),
            }

        bot = {
            "name": "bench", "apps": [self.workspace.app_id], "public_url": "https://bots.example.com", "secret": self.signature,
            "system_message": "You help with orders.", "ticket_life_seconds": 3600,
            "functions": [function("read", "GET", "/orders/{order_id}"), function("change", "POST", "/orders")],
        }
        return Service(self.options, self.workspace, f"bots-{name}", bots=[bot])

    def ticket(self, service, user):
        """A ticket for a customer, as the customer's app gets it."""
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
        key = mint(self.workspace.secret, self.workspace.app_id, user)
        body = json.dumps({"app_id": self.workspace.app_id, "user_id": user, "security_key": key})
        connection.request("POST", "/bots/bench/start", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        connection.close()
        if response.status != 200:
            raise RuntimeError(f"the bot does not start: {response.status} {answer.get('error')}")
        return answer["ticket"]

    # The cost of a call.

    @contextmanager
    def running(self, name, delay_ms=0):
        """The backend, the service and tickets."""
        backend = self.sink.start(self.cores, delay_ms)
        try:
            with (service := self.service(name)):
                yield backend, service, [self.ticket(service, user) for user in USERS]
            service.forget()
        finally:
            backend.stop()

    def calls(self, kind, tickets, connections):
        self.order += 10**7
        return Load((kind, ",".join(tickets), self.order), "bots.lua", "/", connections)

    def compare(self, kind, connections):
        """The backend asked directly and through the service, in turn: a pair of samples for each round."""
        pairs = []
        with self.running(f"{kind}-{connections}") as (backend, service, tickets):
            seconds = self.options.seconds

            def direct():
                return measure(backend, seconds, self.calls(kind, [], connections), self.cores, self.cores, threads=1)

            def through():
                return measure(service.server, seconds, self.calls(kind, tickets, connections), self.cores, self.cores, threads=1)

            for number in range(-1, self.options.rounds):
                sides = (direct, through) if number % 2 else (through, direct)
                taken = {side: side() for side in sides}
                if number >= 0:
                    pairs.append((taken[direct], taken[through]))
        return pairs

    # A backend that hangs.

    def disturbed(self):
        """The p99 of authorizations alone and beside calls that hang, in milliseconds, and how many hung: a round each."""
        with self.running("hanging", HANG_MS) as (_, service, tickets):
            return [self.disturb(service, tickets) for _ in range(self.options.rounds)]

    def disturb(self, service, tickets):
        # Long enough that the arrival of a thousand calls is less than a hundredth of it on a small machine: a p99 is about the rest.
        load, seconds = authorizations(self.workspace.bodies, BESIDE), max(self.options.seconds, LONG_SECONDS)
        alone, _ = run_wrk(service.port, seconds, load, self.cores, 1)
        before = self.sink.counted()["count"]
        with HangingCalls(service.port, tickets, self.order) as calls:
            self.order += HANGING
            # Begun beside the authorizations, so that the arrival of a thousand calls counts, too.
            wrk = Wrk(service.port, seconds, load, self.cores, 1)
            calls.send()
            beside = wrk.report()
            hung = self.wait_for_all(service, calls, before)
        self.wait_for_the_end(service)
        return alone["p99"] / 1e3, beside["p99"] / 1e3, hung

    def wait_for_all(self, service, calls, before):
        """Waits until every call hangs or is refused; how many hang. On a busy machine some are still read when the load has ended."""
        deadline = time.monotonic() + MORE_SECONDS
        while True:
            service.server.require_alive()
            hung, refused = self.sink.counted()["count"] - before, calls.refused()
            if hung and hung + refused >= HANGING:
                return hung
            if time.monotonic() > deadline:
                raise RuntimeError(f"of {HANGING} calls {hung} hung and {refused} were refused")
            time.sleep(0.1)

    def wait_for_the_end(self, service):
        """Waits until no call hangs any more, so that the next round begins without them."""
        deadline = time.monotonic() + 2 * (max(self.options.seconds, LONG_SECONDS) + MORE_SECONDS) + 20
        while service.counter("deskgate_bot_calls_total", outcome="timed_out") < self.sink.counted()["count"]:
            service.server.require_alive()
            if time.monotonic() > deadline:
                raise RuntimeError("the calls that hang do not end")
            time.sleep(0.1)


class HangingCalls:
    """Calls that begin at once, each on a connection of its own."""

    def __init__(self, port, tickets, order):
        self.connections, self.port = [], port
        self.requests = [self.request(tickets[number % len(tickets)], order + number) for number in range(HANGING)]

    @staticmethod
    def request(ticket, order):
        body = json.dumps({"order_id": str(order)})
        head = f"POST /bots/bench/functions/change HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ticket}\r\n"
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()

    def __enter__(self):
        for _ in range(HANGING):
            self.connections.append(socket.create_connection(("127.0.0.1", self.port), timeout=30))
        return self

    def __exit__(self, *_):
        for connection in self.connections:
            connection.close()

    def send(self):
        for connection, request in zip(self.connections, self.requests):
            connection.sendall(request)

    def refused(self):
        """How many were answered, which only a refusal can be."""
        with selectors.DefaultSelector() as selector:
            for connection in self.connections:
                selector.register(connection, selectors.EVENT_READ)
            answered = [key.fileobj for key, _ in selector.select(0)]
        for connection in answered:
            # Left there, so that the next look finds it again.
            status = connection.recv(64, socket.MSG_PEEK).split(b" ")[1:2]
            if status != [b"503"]:
                raise RuntimeError(f"a call that should hang was answered {status}")
        return len(answered)


def cost_targets(bots):
    rows = [("calls", "backend p50 ms", "p50 ms", "added ms", "calls/s", "CPU µs", "other processes")]
    taken = []
    for kind, connections in (("read", 1), ("read", CONNECTIONS), ("change", 1), ("change", CONNECTIONS)):
        pairs = bots.compare(kind, connections)
        taken += [sample for pair in pairs for sample in pair]
        added = statistics.median(through.p50_ms - direct.p50_ms for direct, through in pairs)
        cpu = statistics.median(through.cpu_us for _, through in pairs)
        rows.append((
            f"{kind} at {connections}", f"{statistics.median(direct.p50_ms for direct, _ in pairs):.2f}",
            f"{statistics.median(through.p50_ms for _, through in pairs):.2f}", f"{added:.2f}",
            f"{statistics.median(through.per_second for _, through in pairs):,.0f}", f"{cpu:.0f}",
            f"{max(through.others_busy for _, through in pairs):.0%}"))
        if connections > 1:
            yield Target(f"CPU of a call ({kind} at {connections} connections) <= {MOST_CPU_US} µs: {cpu:.0f} µs", cpu <= MOST_CPU_US)
        else:
            text = f"added to the backend's time at the median ({kind}) <= {MOST_ADDED_MS} ms: {added:.2f} ms"
            yield Target(text, added <= MOST_ADDED_MS)
    print("\n".join(table(rows)), flush=True)
    warn(taken)


def hanging_target(bots):
    rounds = bots.disturbed()
    rows = [("round", "p99 ms alone", "beside", "ratio", "calls that hang")]
    for number, (alone, beside, hung) in enumerate(rounds, 1):
        rows.append((f"{number}", f"{alone:.2f}", f"{beside:.2f}", f"{beside / alone:.2f}", f"{hung:,.0f}"))
    print()
    print("\n".join(table(rows)), flush=True)
    ratio = statistics.median(beside / alone for alone, beside, _ in rounds)
    text = f"p99 of authorizations beside {HANGING:,} calls at once to a backend that hangs against alone <= {MOST_DELAY}: {ratio:.2f}"
    return Target(text, ratio <= MOST_DELAY)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## Bots\n", flush=True)
    bots = Bots(options, workspace)
    return [*cost_targets(bots), hanging_target(bots)]
