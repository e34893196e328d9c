"""Whether a stranger can tell from the time of a 403 what was wrong: all kinds of denials in random order, over one connection."""

import gc
import http.client
import json
import os
import random
import socket
import statistics
import time
from itertools import combinations

from cases import PATH
from fixtures import DAY, body, mint
from report import Target, table
from service import Service

BLOCKS, QUICK_BLOCKS, PER_BLOCK = 60, 15, 40
# How often each kind is sent before: more than the log writes of a kind in a minute.
WARM_UP = 200
# Two kinds differ beyond this share of the time, if Student's t of the blocks' differences is beyond the threshold that dudect uses.
TOLERANCE, THRESHOLD = 0.03, 4.5
LONGEST_LIFE = 30 * DAY
USER, OTHER, BLOCKED = "customer-1", "customer-2", "customer-3"


def altered(key, index):
    """The key with another character there."""
    letters = list(key)
    letters[index] = "B" if letters[index] == "A" else "A"
    return "".join(letters)


def bodies(workspace):
    """The bodies by kind, for strangers and for holders of genuine keys; all of them are equally long."""
    app, now = workspace.app_id, int(time.time())
    valid = mint(workspace.secret, app, USER)
    # 31 bytes are the head, so character 47 is all of the first byte of the MAC.
    strangers = {
        "unknown_app": body(app[::-1], USER, valid),
        "unknown_key": body(app, USER, mint(os.urandom(32), app, USER, key_id=7)),
        "wrong_mac, first byte": body(app, USER, altered(valid, 47)),
        "wrong_mac, last byte": body(app, USER, altered(valid, -1)),
        "wrong_mac, another's key": body(app, USER, mint(workspace.secret, app, OTHER)),
    }
    genuine = {
        "expired": mint(workspace.secret, app, USER, issued_at=now - 2 * DAY, expires_at=now - DAY),
        "too_old": mint(workspace.secret, app, USER, issued_at=now - LONGEST_LIFE - DAY, expires_at=0),
        "issued_in_future": mint(workspace.secret, app, USER, issued_at=now + DAY, expires_at=now + 2 * DAY),
    }
    genuine = {kind: body(app, USER, key) for kind, key in genuine.items()}
    return strangers, genuine | {"revoked": body(app, BLOCKED, mint(workspace.secret, app, BLOCKED))}


def block(service, workspace):
    """Blocks the person whose keys are to be revoked."""
    connection = http.client.HTTPConnection("127.0.0.1", service.admin_port, timeout=30)
    token = (workspace.directory / "admin-token").read_text()
    request = json.dumps({"app_id": workspace.app_id, "user_id": BLOCKED})
    connection.request("POST", "/v1/users/block", request, {"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise RuntimeError(f"a person cannot be blocked: {answer.read()}")
    connection.close()


class Client:
    """Sends requests one after another on one connection."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @staticmethod
    def request(content):
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        return head.encode() + content

    def microseconds(self, request):
        """The time from sending a request to its answer, which comes in one piece and must be a denial."""
        began = time.perf_counter_ns()
        self.socket.sendall(request)
        answer = self.socket.recv(4096)
        ended = time.perf_counter_ns()
        if not answer.startswith(b"HTTP/1.1 403 ") or not answer.endswith(b"}"):
            raise RuntimeError(f"not a denial: {answer[:60]}")
        return (ended - began) / 1e3


def measure(client, contents, blocks):
    """The medians of each kind, a list with one of each block; within a block the kinds alternate in random order."""
    requests = {kind: client.request(content) for kind, content in contents.items()}
    for request in requests.values():
        for _ in range(WARM_UP):
            client.microseconds(request)
    medians = {kind: [] for kind in requests}
    order = list(requests) * PER_BLOCK
    gc.disable()
    try:
        for _ in range(blocks):
            random.shuffle(order)
            taken = {kind: [] for kind in requests}
            for kind in order:
                taken[kind].append(client.microseconds(requests[kind]))
            for kind, times in taken.items():
                medians[kind].append(statistics.median(times))
    finally:
        gc.enable()
    return medians


def difference(one, other):
    """By which share of the time two kinds differ, and Student's t for the differences of the blocks."""
    differences = [left - right for left, right in zip(one, other)]
    mean, error = statistics.mean(differences), statistics.stdev(differences) / len(differences) ** 0.5
    return abs(mean) / min(statistics.median(one), statistics.median(other)), abs(mean) / error if error else float("inf")


def targets(run):
    """Measures, prints, and gives the targets."""
    print("\n## The time of denials\n", flush=True)
    strangers, genuine = bodies(run.workspace)
    # Denials are logged, as by default.
    service = Service(
        run.options, run.workspace, "denials", cores=run.server_cores, log={"level": "info"},
        security_keys={"longest_life_seconds": LONGEST_LIFE})
    own = os.sched_getaffinity(0)
    with service as server:
        block(service, run.workspace)
        os.sched_setaffinity(0, run.load_cores)
        try:
            medians = measure(Client(server.port), strangers | genuine, QUICK_BLOCKS if run.options.quick else BLOCKS)
        finally:
            os.sched_setaffinity(0, own)
    print("\n".join(table([("denied as", "median µs")] + [(kind, f"{statistics.median(times):.1f}") for kind, times in medians.items()])), flush=True)
    pairs = {pair: difference(*(medians[kind] for kind in pair)) for pair in combinations(strangers, 2)}
    widest = max(pairs, key=lambda pair: pairs[pair][0])
    told = [pair for pair, (share, t) in pairs.items() if share > TOLERANCE and t > THRESHOLD]
    shown = "; ".join(f"{' and '.join(pair)} by {pairs[pair][0]:.1%}" for pair in told) or "none"
    print(f"\nfurthest apart for strangers: {' and '.join(widest)}, by {pairs[widest][0]:.1%} (t = {pairs[widest][1]:.1f})", flush=True)
    return [Target(f"denials that strangers can tell apart by more than {TOLERANCE:.0%}: {shown}", not told)]
