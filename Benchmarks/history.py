"""A store that has worked for a while: a million deliveries that have arrived, failed or wait, their attempts, and devices."""

import json
import sqlite3
import time

DELIVERIES, QUICK_DELIVERIES = 1_000_000, 50_000
NOTIFIERS = ("crm", "push", "audit")
REASONS = ("status_503", "status_404", "timeout", "expired", "tls", "unregistered")
# In every hundred: what arrived, had no device, died; the rest waits, and is due in days.
DELIVERED, NO_TARGET, DEAD = 85, 4, 10
# The people and tickets of the events; one of each has few events, and all of them old.
PEOPLE, TICKETS, DEVICES = 20_000, 50_000, 100_000
SELDOM_USER, SELDOM_TICKET, SELDOM_COMMENT = "user-seldom", "900000001", 5
SELDOM = 3
DAY = 86_400_000
STATES = {"pending": 0, "delivered": 1, "dead": 2, "no_target": 3}

EVENTS = ("number", "app", "comment_id", "ticket_id", "device_id", "device_type", "id", "kind", "user_id", "occurred_at", "received_at", "data")
STORED_DELIVERIES = (
    "event", "position", "notifier", "app", "needs_device", "state", "leads", "attempts", "due_at", "expires_at", "ended_at", "reason")
ATTEMPTS = ("event", "position", "number", "started_at", "ended_at", "outcome", "reason")
STORED_DEVICES = ("app", "user_id", "device_id", "type", "token", "digest", "registered_at", "seen_at", "from_app")


def state_of(number):
    place = number * 37 % 100
    if place < DELIVERED:
        return "delivered"
    return "no_target" if place < DELIVERED + NO_TARGET else "dead" if place < DELIVERED + NO_TARGET + DEAD else "pending"


def identifier(number, milliseconds, position=0):
    """The id of an event, and of a delivery of it; the last 16 bits are the delivery's position."""
    data = bytearray(milliseconds.to_bytes(6, "big") + (0x7 << 12 | number >> 32 & 0xFFF).to_bytes(2, "big"))
    data += (0x80 << 56 | (number & 0xFFFFFFFF) << 16 | position).to_bytes(8, "big")
    return bytes(data)


class History:
    """The rows, of a number of deliveries up to now; the same whatever the store."""

    def __init__(self, deliveries):
        self.count, self.now = deliveries, int(time.time() * 1000)

    def received_at(self, number):
        """Six days, evenly: less than what has arrived is kept."""
        return self.now - 6 * DAY * (self.count - number + 1) // self.count

    def id(self, number):
        return identifier(number, self.received_at(number))

    def user(self, number):
        return SELDOM_USER if number <= SELDOM else f"user-{number % PEOPLE}"

    def ticket(self, number):
        return SELDOM_TICKET if number <= SELDOM else str(1000 + number * 7 % TICKETS)

    def events(self, app):
        for number in range(1, self.count + 1):
            at = self.received_at(number)
            keeps = state_of(number) in ("pending", "dead")
            data = json.dumps({"body": "x" * 200, "author": "Support"}).encode() if keeps else b""
            yield (
                number, app, str(number), self.ticket(number), f"device-{number % DEVICES}", "ios", identifier(number, at), "comment.created",
                self.user(number), at, at, data)

    def deliveries(self, app):
        for number in range(1, self.count + 1):
            at, state = self.received_at(number), state_of(number)
            waits, dead = state == "pending", state == "dead"
            yield (
                number, 0, NOTIFIERS[number % len(NOTIFIERS)], app, False, STATES[state], waits, 3 if dead else int(state == "delivered"),
                self.now + 20 * DAY if waits else at, self.now + 30 * DAY, None if waits else at + 500,
                REASONS[number // 7 % len(REASONS)] if dead else {"delivered": "status_200", "no_target": "no_target"}.get(state, ""))

    def attempts(self):
        for number in range(1, self.count + 1):
            at, state = self.received_at(number), state_of(number)
            if state == "delivered":
                yield number, 0, 1, at, at + 20, "delivered", "status_200"
            elif state == "dead":
                for attempt in range(1, 4):
                    yield number, 0, attempt, at + attempt * 100, at + attempt * 100 + 20, "retry" if attempt < 3 else "dead", "status_503"

    def devices(self, app):
        for number in range(DEVICES):
            yield (
                app, f"user-{number % PEOPLE}", f"device-{number}", "ios", f"{number:064x}", number.to_bytes(32, "big"), self.now - DAY,
                self.now - DAY, True)

    def tables(self, app):
        """The name, the columns and the rows of each table."""
        yield "events", EVENTS, self.events(app)
        yield "deliveries", STORED_DELIVERIES, self.deliveries(app)
        yield "attempts", ATTEMPTS, self.attempts()
        yield "devices", STORED_DEVICES, self.devices(app)

    def fill_sqlite(self, path, app_id):
        """Fills the file of a service that has run once and does not run now."""
        database = sqlite3.connect(path)
        database.execute("PRAGMA synchronous = OFF")
        with database:
            database.execute("INSERT INTO apps VALUES (1, ?)", (app_id,))
            for table, columns, rows in self.tables(1):
                # The number of an event's deliveries is kept with it here.
                extra = (("deliveries",), (1,)) if table == "events" else ((), ())
                names = (*columns, *extra[0])
                database.executemany(
                    f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", (row + extra[1] for row in rows))
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()

    def fill_postgres(self, database, app_id):
        """Fills a database whose tables a service has made; no service may run."""
        database.sql(f"INSERT INTO apps (number, app_id) OVERRIDING SYSTEM VALUE VALUES (1, '{app_id}')")
        for table, columns, rows in self.tables(1):
            database.copy(f"{table} ({', '.join(columns)})", (map(text, row) for row in rows))
        pending = {name: 0 for name in NOTIFIERS}
        for number in range(1, self.count + 1):
            if state_of(number) == "pending":
                pending[NOTIFIERS[number % len(NOTIFIERS)]] += 1
        database.sql(
            f"SELECT setval(pg_get_serial_sequence('events', 'number'), {self.count})", "SELECT setval(pg_get_serial_sequence('apps', 'number'), 1)",
            *(f"INSERT INTO depth VALUES ('{name}', {count})" for name, count in pending.items()),
            "INSERT INTO persons (app, user_id) SELECT DISTINCT app, user_id FROM events UNION SELECT app, user_id FROM devices")
        database.settle()


def text(value):
    """A value as COPY reads it; a UUID is taken from its bytes' digits, and so are other bytes."""
    if value is None:
        return "\\N"
    if isinstance(value, bytes):
        return value.hex() if len(value) == 16 else "\\\\x" + value.hex()
    return str(value).lower() if isinstance(value, bool) else str(value)
