"""What 100,000 revocations cost authorizations: two services in turn, one with an empty and one with a full list."""

import os
import sqlite3
import statistics
import time

from fixtures import KEY_ID
from report import MEGABYTE, Target, median, ratios, table, warn
from service import Service

COUNT = 100_000
# Nine in ten are of people; the rest are keys by their salts, and one in a hundred each is of a key id and of all keys of another app.
OTHER_APPS = 50


def identifier(milliseconds):
    """A UUID of version 7."""
    data = bytearray(milliseconds.to_bytes(6, "big") + os.urandom(10))
    data[6], data[8] = data[6] & 0x0F | 0x70, data[8] & 0x3F | 0x80
    return bytes(data)


def rows(app_number):
    """The rows of the table `revocations`: none is of a user of the load, and each request has to look for all four kinds."""
    now = int(time.time())
    for number in range(1, COUNT + 1):
        app, user, salt, key_id, before = app_number, None, None, None, now
        match number % 100:
            case 0: app = app_number + 1 + number // 100 % OTHER_APPS
            case 1: key_id = KEY_ID + number
            case digits if digits < 10: salt = os.urandom(16)
            case _: user, before = f"departed-{number:06d}", None if number % 2 else now
        milliseconds = now * 1000 - COUNT + number
        yield number, identifier(milliseconds), app, user, salt, key_id, before, "left the company", "127.0.0.1", milliseconds


def fill(service, app_id):
    """Writes the list into the store of a service that has run once and does not run now."""
    database = sqlite3.connect(service.database)
    with database:
        database.executemany("INSERT INTO apps VALUES (?, ?)", [(1, app_id)] + [(2 + other, f"other-{other}") for other in range(OTHER_APPS)])
        database.executemany("INSERT INTO revocations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows(1))
        database.execute("INSERT INTO revocation_versions VALUES (1, ?, 0)", (COUNT,))
    database.close()


def compare(run):
    """The samples of both by name, and the resident bytes of each after the same number of rounds."""
    services = [Service(run.options, run.workspace, name, cores=run.server_cores) for name in ("empty", "full")]
    for service in services:
        with service:
            pass
    fill(services[1], run.workspace.app_id)
    with services[0] as empty, services[1] as full:
        found = services[1].counter("deskgate_revocations")
        if found != COUNT:
            raise RuntimeError(f"the service knows {found:.0f} of {COUNT} revocations")
        for server in (empty, full):
            run.measure(server, run.options.seconds)
        taken = [run.round(number, (empty, full)) for number in range(run.options.rounds)]
        return [[samples[server.name] for samples in taken] for server in (empty, full)], [empty.resident_bytes(), full.resident_bytes()]


def targets(run):
    """Measures, prints, and gives the targets."""
    print(f"\n## {COUNT:,} revocations\n", flush=True)
    (empty, full), resident = compare(run)
    lines = [("revocations", "requests/s", "p50 ms", "p99 ms", "CPU µs/req", "RSS MB")]
    for name, samples, size in zip(("none", f"{COUNT:,}"), (empty, full), resident):
        lines.append((
            name, f"{median(samples, 'per_second'):,.0f}", f"{median(samples, 'p50_ms'):.2f}", f"{median(samples, 'p99_ms'):.2f}",
            f"{median(samples, 'cpu_us'):.2f}", f"{size / MEGABYTE:.1f}"))
    print()
    print("\n".join(table(lines)), flush=True)
    warn(empty + full)
    cost, rate = (statistics.median(ratios(full, empty, field)) for field in ("cpu_us", "per_second"))
    more = (resident[1] - resident[0]) / MEGABYTE
    return [
        Target(f"CPU time of an authorization with {COUNT:,} revocations against none < 1.10: {cost:.3f}", cost < 1.1),
        Target(f"authorizations/s with {COUNT:,} revocations against none > 0.90: {rate:.3f}", rate > 0.9),
        Target(f"memory of {COUNT:,} revocations < 20 MB: {more:.1f} MB", more < 20),
    ]
