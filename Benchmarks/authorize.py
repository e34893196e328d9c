"""Authorizations: Deskgate beside its peers, its memory, its start, with many revocations, denied ones, and what parts of a request cost."""

import os
import subprocess

import denials
import report
import revocations
from cases import verify
from load import CONNECTIONS, DISTURBED, authorizations, measure, memory, start_times, wait_for_first_answer
from peers import PEERS, NotInstalled, allocation_counter, deskgate
from processes import Server, split_cores

MEMORY_REQUESTS, STARTS = 1_000_000, 5
QUICK_MEMORY_REQUESTS = 50_000


class Run:
    """The state of one run: where it works, on which cores, and what it has started."""

    def __init__(self, options, workspace, stack):
        self.options, self.workspace, self.stack = options, workspace, stack
        self.server_cores, self.load_cores = split_cores()
        self.peers = (deskgate(options.deskgate), *PEERS)
        self.commands, self.missing, self.started, self.repetitions = {}, {}, 0, options.rounds

    def prepare(self):
        for peer in self.peers:
            try:
                self.commands[peer.name] = peer.prepare(self.workspace, self.server_cores)
            except NotInstalled as missing:
                self.missing[peer.name] = str(missing)

    def start(self, name):
        """A fresh server with ports and a folder of its own."""
        self.started += 1
        path, port = self.workspace.configuration(f"authorize-{self.started:02}")
        return Server.start(name, port, self.commands[name](path, port), path.with_name("log"), self.server_cores)

    def start_verified(self, peer):
        server = self.start(peer.name)
        self.stack.callback(server.stop)
        wait_for_first_answer(server, self.workspace.valid_body())
        count = verify(peer, server.port, self.workspace)
        print(f"{peer.describe()}: {count} answers are right", flush=True)
        return server

    def measure(self, server, seconds):
        return measure(server, seconds, authorizations(self.workspace.bodies), self.server_cores, self.load_cores)

    def compare(self):
        """All servers run from the start; after a round to warm up, each is loaded once a round, the order turning round."""
        servers = [self.start_verified(peer) for peer in self.peers if peer.name in self.commands]
        for server in servers:
            self.measure(server, self.options.seconds)
        samples = {server.name: [] for server in servers}
        for number in range(self.options.rounds):
            for name, sample in self.round(number, servers).items():
                samples[name].append(sample)
        return samples, {server.name: server.resident_bytes() for server in servers}

    def round(self, number, servers):
        """One sample a server. A round that other processes disturbed is repeated whatever it shows, as long as there
        are repetitions left: at most one for each round asked for."""
        order = servers if number % 2 == 0 else servers[::-1]
        while True:
            taken = {server.name: self.measure(server, self.options.seconds) for server in order}
            others = max(sample.others_busy for sample in taken.values())
            print(f"round {number + 1} of {self.options.rounds}: other processes took up to {others:.0%} of the machine", flush=True)
            if others < DISTURBED or self.repetitions == 0:
                return taken
            self.repetitions -= 1
            print("repeating it", flush=True)

    def limits(self):
        """The targets that Deskgate has by itself: memory and start."""
        name = self.peers[0].name
        requests = QUICK_MEMORY_REQUESTS if self.options.quick else MEMORY_REQUESTS
        print(f"memory over two times {requests:,} requests", flush=True)
        yield from report.memory_targets(memory(lambda: self.start(name), self.workspace, requests, self.load_cores))
        yield report.start_target(start_times(lambda: self.start(name), self.workspace.valid_body(), STARTS))


def describe(run):
    options = run.options
    print(f"servers on cores {sorted(run.server_cores)}, wrk on {sorted(run.load_cores)};", end=" ")
    print(f"{CONNECTIONS} connections, {options.rounds} rounds of {options.seconds} s", flush=True)


def run_micro(path, directory):
    """Prints what the micro-benchmarks print; their exit status is their verdict. They count allocations where there is a C compiler."""
    print("\n## Micro-benchmarks\n", flush=True)
    environment = dict(os.environ)
    try:
        environment["LD_PRELOAD"] = str(allocation_counter(directory))
    except NotInstalled as missing:
        print(f"allocations are not counted: {missing} is not installed", flush=True)
    status = subprocess.run([path], env=environment).returncode
    return report.Target(f"micro-benchmarks: exit status {status}", status == 0)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## POST /pyrus/authorize\n", flush=True)
    run = Run(options, workspace, stack)
    describe(run)
    run.prepare()
    samples, resident = run.compare()
    stack.close()
    targets = [*report.throughput_targets(run.peers, samples, run.missing), *run.limits()]
    print()
    report.print_peers(run.peers, samples, resident, run.missing)
    targets += revocations.targets(run) + denials.targets(run)
    if options.micro is not None:
        targets.append(run_micro(options.micro, workspace.directory))
    return targets
