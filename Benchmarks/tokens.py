"""Push tokens: durable registrations a second, and what they cost with few and with many devices registered."""

import json
import random
import statistics

from fixtures import mint
from load import BadAnswers, CONNECTIONS, Load, measure
from report import MEGABYTE, Target, table
from service import Service

PATH = "/pyrus/push-token"
# More calls a second than are made, since each person may make one.
FASTEST = 40_000
FASTEST_ALONE = 8_000
FEW, MANY = 10_000, 5_000_000
QUICK_MANY = 200_000


class Tokens:
    """The state of this part: the workspace, and how many persons have been minted a key."""

    def __init__(self, options, workspace):
        self.options, self.workspace = options, workspace
        self.minted = 0
        self.random = random.Random(1)

    def service(self, name, notifiers=()):
        """A service whose registrations these notifiers are told of; the limits are the default."""
        return Service(self.options, self.workspace, f"tokens-{name}", {"notifiers": list(notifiers)})

    def body(self, among):
        """The registration of a person who has none, whose name lies anywhere among those of the devices that are registered."""
        self.minted += 1
        user_id = f"customer-{self.random.randrange(among):08d}-{self.minted}"
        return json.dumps({
            "app_id": self.workspace.app_id, "user_id": user_id,
            "security_key": mint(self.workspace.secret, self.workspace.app_id, user_id, salt=self.random.randbytes(16)),
            "instance_id": f"phone-{self.minted}", "type": "ios", "token": self.random.randbytes(32).hex(),
        }).encode()

    def register(self, service, among, connections, fastest):
        """One measurement; raises BadAnswers when fewer were registered than were answered with 200."""
        bodies = self.workspace.directory / "registrations.txt"
        with open(bodies, "wb") as file:
            for _ in range(fastest * self.options.seconds):
                file.write(self.body(among) + b"\n")

        def registered():
            return service.counter("deskgate_push_token_requests_total", result="registered")

        before, load = registered(), Load((bodies,), "once.lua", PATH, connections)
        sample = measure(service.server, self.options.seconds, load, service.cores, service.cores, threads=1)
        bodies.unlink()
        if registered() - before < sample.requests:
            raise BadAnswers(f"{service.name}: answered {sample.requests} calls with 200 and registered {registered() - before:.0f}")
        return sample

    def rate(self, name, notifiers=()):
        """Registrations a second at many connections; a list of rounds."""
        with (service := self.service(name, notifiers)):
            samples = [self.register(service, MANY, CONNECTIONS, FASTEST) for _ in range(self.options.rounds)]
        service.forget()
        return samples

    def growth(self):
        """The time of one call on one connection and the memory of the process after it, with few and with many devices."""
        many = QUICK_MANY if self.options.quick else MANY
        service, filled = self.service("growth"), 0
        for count in (FEW, many):
            took = service.fill("fill-devices", filled, count - filled)
            filled = count
            size = service.database.stat().st_size
            print(f"{count:,} devices: filling took {took:.0f} s, the file has {size / MEGABYTE:,.0f} MB", flush=True)
            with service as server:
                taken = [self.register(service, count, 1, FASTEST_ALONE) for _ in range(self.options.rounds)]
                yield count, statistics.median(1e6 / sample.per_second for sample in taken), server.resident_bytes()
        service.forget()


def rate_target(tokens):
    rows = [("", "registrations/s", "p50 ms", "p99 ms", "CPU µs/call", "other processes")]
    samples = tokens.rate("rate")
    shown = [(f"round {number + 1}", sample) for number, sample in enumerate(samples)]
    shown += [(f"told to log, round {number + 1}", sample) for number, sample in enumerate(tokens.rate("told", ("log",)))]
    for name, sample in shown:
        rows.append((
            name, f"{sample.per_second:,.0f}", f"{sample.p50_ms:.2f}", f"{sample.p99_ms:.2f}", f"{sample.cpu_us:.1f}",
            f"{sample.others_busy:.0%}"))
    print("\n".join(table(rows)), flush=True)
    rate = statistics.median(sample.per_second for sample in samples)
    return Target(f"durable registrations/s at {CONNECTIONS} connections >= 10,000: {rate:,.0f}", rate >= 10_000)


def growth_targets(tokens):
    print()
    (few, time, memory), (many, grown_time, grown_memory) = tokens.growth()
    load = f"from {few:,} to {many:,} devices"
    slower, larger = grown_time / time, grown_memory / memory
    yield Target(f"time of one call {load} < 1.5: {slower:.2f} ({time:.0f} to {grown_time:.0f} µs)", slower < 1.5)
    sizes = f"{memory / MEGABYTE:.1f} to {grown_memory / MEGABYTE:.1f} MB"
    yield Target(f"memory {load} < 1.5: {larger:.2f} ({sizes})", larger < 1.5)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## Push tokens\n", flush=True)
    tokens = Tokens(options, workspace)
    return [rate_target(tokens), *growth_targets(tokens)]
