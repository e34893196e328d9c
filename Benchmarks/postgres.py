"""A store in PostgreSQL: acceptances beside pgbench, two replicas beside one, growth, an old reader, an idle replica."""

import os
import statistics
import time
from contextlib import ExitStack

from database import Database, Reader
from load import CONNECTIONS

from report import Target, table, warn
from service import Service
from tokens import FASTEST_ALONE, Tokens
from webhooks import CONCURRENCY, DRAIN_LIMIT, Webhooks

# A backend that takes this long for an event: with the concurrency of one replica it is the limit, and not the service or the database.
SINK_DELAY_MS = 60
FEW, DEVICES, QUICK_DEVICES = 10_000, 10_000_000, 200_000
SMALL_QUEUE, BACKLOG, QUICK_BACKLOG = 30_000, 1_000_000, 100_000
READER_SECONDS, QUICK_READER_SECONDS = 300, 20
IDLE_SECONDS = 30
# Copies of an event and a device that the service has written itself. The last 16 bits of an event's id are its deliveries'.
COPY_EVENTS = """
    WITH model AS (SELECT * FROM events ORDER BY number LIMIT 1), made AS (
        INSERT INTO events (app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data)
        SELECT app, (comment_id::bigint + n)::text, (1000 + n % 5000)::text, device_id, device_type,
            (left(id::text, 24) || lpad(to_hex(n::bigint << 16), 12, '0'))::uuid, kind, 'user-' || n % 5000, occurred_at, received_at, data
        FROM model, generate_series({first}, {first} + {count} - 1) AS n RETURNING number, app, received_at)
    INSERT INTO deliveries (event, position, notifier, app, needs_device, state, leads, attempts, due_at, expires_at, reason)
    SELECT number, 0, 'sink', app, false, 0, true, 0, received_at, received_at + 86400000, '' FROM made
"""
COPY_DEVICES = """
    WITH model AS (SELECT * FROM devices WHERE token IS NOT NULL LIMIT 1), made AS (
        INSERT INTO devices (app, user_id, device_id, type, token, digest, registered_at, seen_at, from_app)
        SELECT app, 'customer-' || lpad((n::bigint * 7919 % {count})::text, 8, '0'), md5('d' || n), type, md5('t' || n) || md5('u' || n),
            decode(md5('a' || n) || md5('b' || n), 'hex'), registered_at, seen_at, from_app
        FROM model, generate_series(0, {count} - 1) AS n RETURNING app, user_id)
    INSERT INTO persons (app, user_id) SELECT app, user_id FROM made ON CONFLICT DO NOTHING
"""


class Postgres(Webhooks):
    """The state of this part: the database, the sink, and what webhooks need."""

    def __init__(self, options, workspace, database):
        super().__init__(options, workspace)
        self.database = database
        self.store = {"type": "postgres", "url": workspace.write_secret("database-url", database.url)}
        self.tokens = Tokens(options, workspace)
        self.replicas = 0

    def replica(self, name):
        """One of the services that share the database."""
        self.replicas += 1
        return self.service(f"{name}-{self.replicas}", store=self.store)

    # Acceptances.

    def acceptances(self):
        """pgbench's transactions a second and the service's samples, in turn: a pair for each round."""
        pairs = []
        with (service := self.replica("rate")):
            self.accept(service, 1)
            for _ in range(self.options.rounds):
                inserts = self.database.inserts_per_second(self.options.seconds, CONNECTIONS)
                pairs.append((inserts, self.accept(service, self.options.seconds)))
        return pairs

    # Deliveries.

    def fill(self, count):
        """Has so many deliveries wait, copied from one that the service has stored itself."""
        with (service := self.replica("model")):
            self.accept(service, 1, connections=1)
        self.database.sql(
            "DELETE FROM deliveries; DELETE FROM order_heads; DELETE FROM depth; DELETE FROM events WHERE number <> (SELECT min(number) FROM events)")
        self.add(1, count)
        self.database.settle()

    def add(self, first, count):
        """Has so many more deliveries wait, due since the first event came."""
        self.database.sql(COPY_EVENTS.format(first=first, count=count), f"INSERT INTO depth VALUES ('sink', {count})")

    def deliver(self, replicas, count, delay_ms=0):
        """Deliveries a second of so many replicas to the sink, over `count` of them."""
        sink = self.sink.start(self.cores, delay_ms)
        try:
            with ExitStack() as stack:
                servers = [stack.enter_context(self.replica(f"deliver-{number}")) for number in range(replicas)]
                began = self.sink.wait(1, DRAIN_LIMIT, servers[0])
                ended = self.sink.wait(began["count"] + count, DRAIN_LIMIT, servers[0])
                return (ended["count"] - began["count"]) / (ended["last"] - began["last"]) * 1e9
        finally:
            sink.stop()

    def scaled(self):
        """Deliveries a second to a slow sink of one replica, and of two."""
        rates = []
        for replicas in (1, 2):
            self.database.clear()
            self.fill(SMALL_QUEUE)
            rates.append(self.deliver(replicas, SMALL_QUEUE // 3, SINK_DELAY_MS))
        return rates

    # Growth.

    def call_us(self, service, among):
        """The time of one registration on one connection, in microseconds."""
        return 1e6 / self.tokens.register(service, among, 1, FASTEST_ALONE).per_second

    def registrations(self, count):
        """A list of rounds of the time of one registration among so many devices."""
        with (service := self.replica(f"devices-{count}")):
            self.call_us(service, FEW)
            if count > FEW:
                self.database.sql(COPY_DEVICES.format(count=count))
                self.database.settle()
            return [self.call_us(service, count) for _ in range(self.options.rounds)]

    def beside_reader(self, devices, seconds):
        """The time of one registration and deliveries a second at the end of a time in which a transaction has been open, under a load that
        left dead rows everywhere: webhooks, registrations, deliveries."""
        with Reader(self.database):
            sink = self.sink.start(self.cores)
            try:
                with (service := self.replica("load")):
                    ended = time.monotonic() + seconds
                    while time.monotonic() < ended:
                        self.accept(service, self.options.seconds, connections=8)
                        self.call_us(service, devices)
            finally:
                sink.stop()
            with (service := self.replica("reader")):
                calls = [self.call_us(service, devices) for _ in range(self.options.rounds)]
            dead = self.database.number("SELECT sum(n_dead_tup) FROM pg_stat_user_tables")
            # The deliveries of the load have ended.
            self.add(BACKLOG + 1, SMALL_QUEUE)
            return statistics.median(calls), self.deliver(1, SMALL_QUEUE // 2), dead

    # Rest.

    def idle(self):
        """Transactions a second that a replica makes when nothing happens, and its connections."""
        # A database of its own, in which nothing is left to be vacuumed.
        self.database.sql("CREATE DATABASE idle")
        self.store = self.store | {"url": self.workspace.write_secret("idle-url", self.database.url.removesuffix("postgres") + "idle")}
        with self.replica("idle"):
            time.sleep(5)
            count = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'idle'"
            before, began = self.database.number(count), time.monotonic()
            time.sleep(IDLE_SECONDS)
            asked = (self.database.number(count) - before) / (time.monotonic() - began)
            connections = self.database.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'deskgate'")
            return asked, int(connections)


def acceptance_target(part):
    pairs = part.acceptances()
    rows = [("", "pgbench inserts/s", "webhooks/s", "ratio", "p50 ms", "p99 ms", "CPU µs", "other processes")]
    for number, (inserts, sample) in enumerate(pairs):
        rows.append((
            f"round {number + 1}", f"{inserts:,.0f}", f"{sample.per_second:,.0f}", f"{sample.per_second / inserts:.2f}", f"{sample.p50_ms:.2f}",
            f"{sample.p99_ms:.2f}", f"{sample.cpu_us:.1f}", f"{sample.others_busy:.0%}"))
    print("\n".join(table(rows)), flush=True)
    ratio = statistics.median(sample.per_second / inserts for inserts, sample in pairs)
    return Target(f"webhooks/s at {CONNECTIONS} connections against pgbench's single inserts >= 0.5: {ratio:.2f}", ratio >= 0.5)


def replicas_target(part):
    one, two = part.scaled()
    print(f"\na sink that takes {SINK_DELAY_MS} ms: {one:,.0f} deliveries/s of one replica, {two:,.0f} of two", flush=True)
    return Target(f"deliveries/s of two replicas against one >= 1.6: {two / one:.2f}", two >= 1.6 * one)


def growth_targets(part):
    quick = part.options.quick
    devices, backlog = (QUICK_DEVICES, QUICK_BACKLOG) if quick else (DEVICES, BACKLOG)
    part.database.clear()
    few = statistics.median(part.registrations(FEW))
    part.database.clear()
    part.fill(SMALL_QUEUE)
    small = part.deliver(1, SMALL_QUEUE // 2)
    # Each cause of slowness by itself, so that its own price is seen.
    part.database.clear()
    seconds = QUICK_READER_SECONDS if quick else READER_SECONDS
    call, rate, dead = part.beside_reader(FEW, seconds)
    part.database.clear()
    many = statistics.median(part.registrations(devices))
    part.fill(backlog)
    large = part.deliver(1, SMALL_QUEUE // 2)
    beside = f"beside a transaction that is {seconds} s old"
    size = f"with {devices:,} devices and {backlog:,} pending"
    rows = [("", "µs a registration", "deliveries/s"), ("empty", f"{few:,.0f}", f"{small:,.0f}")]
    rows += [(f"{beside} ({dead:,.0f} dead rows)", f"{call:,.0f}", f"{rate:,.0f}"), (size, f"{many:,.0f}", f"{large:,.0f}")]
    print()
    print("\n".join(table(rows)), flush=True)
    for what, calls, deliveries in ((beside, call, rate), (size, many, large)):
        yield Target(f"time of a registration {what} against empty <= 1.5: {calls / few:.2f}", calls <= 1.5 * few)
        yield Target(f"time of a delivery {what} against empty <= 1.5: {small / deliveries:.2f}", small <= 1.5 * deliveries)


def idle_targets(part):
    asked, connections = part.idle()
    yield Target(f"questions a second of an idle replica <= 1: {asked:.2f}", asked <= 1)
    yield Target(f"connections of a replica <= 4: {connections}", connections <= 4)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## PostgreSQL\n", flush=True)
    database = stack.enter_context(Database(workspace, os.sched_getaffinity(0)))
    part = Postgres(options, workspace, database)
    return [acceptance_target(part), replicas_target(part), *growth_targets(part), *idle_targets(part)]
