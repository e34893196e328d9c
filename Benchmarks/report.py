"""What a run prints: the table of peers, the limits, and the targets with their verdicts."""

import statistics
from dataclasses import dataclass

from load import DISTURBED

MEGABYTE = 1e6
SATURATED = 0.95


@dataclass(frozen=True)
class Target:
    """A bound that one run keeps or misses; `kept` is None when there was nothing to compare with."""

    text: str
    kept: bool | None

    def line(self):
        return f"- {'SKIP' if self.kept is None else 'PASS' if self.kept else 'MISS'}  {self.text}"


def median(samples, field):
    return statistics.median(getattr(sample, field) for sample in samples)


def ratios(deskgate, peer, field="per_second"):
    """Deskgate over the peer, round by round: what slows a whole round cancels out."""
    return [getattr(ours, field) / getattr(theirs, field) for ours, theirs in zip(deskgate, peer)]


def table(rows):
    """Lines of a Markdown table, padded so that it reads as plain text too; the first row is the heading."""
    widths = [max(map(len, column)) for column in zip(*rows)]

    def line(cells):
        padded = [cell.ljust(width) if index == 0 else cell.rjust(width) for index, (cell, width) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (width + 2) if index == 0 else "-" * (width + 1) + ":" for index, width in enumerate(widths)) + "|"
    return [line(rows[0]), rule, *map(line, rows[1:])]


def warn(samples):
    """Says so when something else was at work during one of the measurements."""
    others = max(sample.others_busy for sample in samples)
    if others >= DISTURBED:
        print(f"WARNING: other processes took up to {others:.0%} of this machine during a measurement: do not rely on it.", flush=True)


HEADING = ("peer", "requests/s", "p50 ms", "p99 ms", "CPU µs/req", "RSS MB", "server busy", "wrk busy", "ratio", "ratio min–max", "CPU ratio")


def peer_row(name, samples, resident, deskgate):
    """One line of the table. `*` marks a peer that kept wrk as busy as it can be: it could do more than was asked."""
    ratio, cpu = ratios(deskgate, samples), ratios(deskgate, samples, "cpu_us")
    load_busy = median(samples, "load_busy")
    return (
        name,
        f"{median(samples, 'per_second'):,.0f}" + ("*" if load_busy >= SATURATED else ""),
        f"{median(samples, 'p50_ms'):.2f}",
        f"{median(samples, 'p99_ms'):.2f}",
        f"{median(samples, 'cpu_us'):.2f}",
        f"{resident / MEGABYTE:.1f}",
        f"{median(samples, 'server_busy'):.0%}",
        f"{load_busy:.0%}",
        f"{statistics.median(ratio):.2f}",
        f"{min(ratio):.2f}–{max(ratio):.2f}",
        f"{statistics.median(cpu):.2f}",
    )


def print_peers(peers, samples, resident, missing):
    """The table; `missing` maps a peer's name to what is not installed."""
    rows = [HEADING]
    deskgate = samples[peers[0].name]
    for peer in peers:
        if peer.name in missing:
            rows.append((peer.name, f"not installed: {missing[peer.name]}") + ("",) * (len(HEADING) - 2))
        else:
            rows.append(peer_row(peer.name, samples[peer.name], resident[peer.name], deskgate))
    print("\n".join(table(rows)))
    print("\nratio: Deskgate's requests/s over the peer's, taken in each round, median of the rounds (more is better);")
    print("CPU ratio: Deskgate's CPU time a request over the peer's (less is better).")
    if any(median(taken, "load_busy") >= SATURATED for taken in samples.values()):
        print("* wrk had no time left: the server could do more, so read the CPU time beside the ratio.")
    warn(sample for taken in samples.values() for sample in taken)


def throughput_targets(peers, samples, missing):
    for peer in peers:
        if peer.target is None:
            continue
        if peer.name in missing:
            yield Target(f"requests/s against {peer.name} >= {peer.target}: not installed ({missing[peer.name]})", None)
        else:
            ratio = statistics.median(ratios(samples[peers[0].name], samples[peer.name]))
            yield Target(f"requests/s against {peer.name} >= {peer.target}: {ratio:.3f}", ratio >= peer.target)


def memory_targets(memory):
    load = f"{memory.requests:,} requests"
    idle, first = memory.idle / MEGABYTE, memory.first / MEGABYTE
    yield Target(f"idle memory <= 24 MB: {idle:.1f} MB", idle <= 24)
    yield Target(f"memory after {load} <= 40 MB: {first:.1f} MB", first <= 40)
    yield Target(f"growth over {load} more < 5 %: {memory.growth:+.1%} ({memory.second / MEGABYTE:.1f} MB)", memory.growth < 0.05)


def start_target(milliseconds):
    typical = statistics.median(milliseconds)
    shown = ", ".join(f"{value:.0f}" for value in milliseconds)
    return Target(f"start to the first 200 within 100 ms: {typical:.0f} ms (of {shown})", typical <= 100)
