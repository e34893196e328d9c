"""Push tokens: durable registrations a second, and what they cost with few and with many devices registered."""

import json
import random
import statistics

from fixtures import mint
from load import BadAnswers, CONNECTIONS, Load, measure
from report import MEGABYTE, Target, table, warn
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
            "instance_id": self.random.randbytes(16).hex(), "type": "ios", "token": self.random.randbytes(32).hex(),
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

    def filled(self, count):
        """A service with so many devices."""
        service = self.service(f"with-{count}")
        took, size = service.fill("fill-devices", 0, count), service.database.stat().st_size
        print(f"{count:,} devices: filling took {took:.0f} s, the file has {size / MEGABYTE:,.0f} MB", flush=True)
        return service

    def growth(self):
        """The time of one call in µs on one connection, a list of rounds, and the memory after them, with few and with many devices, in turn; and
        the longest call with many, in ms, while the idle ones among them are removed."""
        counts = FEW, QUICK_MANY if self.options.quick else MANY
        services = [self.filled(count) for count in counts]
        with services[0] as few, services[1] as many:
            times, longest = [[], []], 0
            for _ in range(self.options.rounds):
                for taken, service, count in zip(times, services, counts):
                    sample = self.register(service, count, 1, FASTEST_ALONE)
                    taken.append(1e6 / sample.per_second)
                    if service is services[1]:
                        longest = max(longest, sample.longest_ms)
            memory = few.resident_bytes(), many.resident_bytes()
        for service in services:
            service.forget()
        return counts, times, memory, longest


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
    warn(sample for _, sample in shown)
    rate = statistics.median(sample.per_second for sample in samples)
    return Target(f"durable registrations/s at {CONNECTIONS} connections >= 10,000: {rate:,.0f}", rate >= 10_000)


def growth_targets(tokens):
    print()
    counts, times, memory, longest = tokens.growth()
    rows = [("", *(f"µs/call with {count:,}" for count in counts), "ratio")]
    rows += [(f"round {number + 1}", f"{few:,.0f}", f"{many:,.0f}", f"{many / few:.2f}") for number, (few, many) in enumerate(zip(*times))]
    print("\n".join(table(rows)), flush=True)
    load = "from {:,} to {:,} devices".format(*counts)
    slower, larger = statistics.median(many / few for few, many in zip(*times)), memory[1] / memory[0]
    yield Target(f"time of one call {load} < 1.5: {slower:.2f}", slower < 1.5)
    sizes = " to ".join(f"{size / MEGABYTE:.1f}" for size in memory)
    yield Target(f"memory {load} < 1.5: {larger:.2f} ({sizes} MB)", larger < 1.5)
    # One connection waits for nothing but the writer, so that no pause of it is longer.
    yield Target(f"longest call with {counts[1]:,} devices, while idle ones are removed <= 50 ms: {longest:.1f}", longest <= 50)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## Push tokens\n", flush=True)
    tokens = Tokens(options, workspace)
    return [rate_target(tokens), *growth_targets(tokens)]
