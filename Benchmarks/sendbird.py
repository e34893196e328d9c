"""Sendbird beside Pyrus in one service: signed webhooks of Chat, those of Desk beside everything else, and session tokens that are kept."""

import hashlib
import hmac
import http.client
import json
import os
import secrets
import statistics
import threading
import time
import uuid
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fixtures import KEY_ID, body, encode, mint
from load import CONNECTIONS, BadAnswers, Load, Wrk, authorizations, measure, run_wrk
from processes import split_cores
from report import Target, table, warn
from service import Service
from simulator import Simulator
from webhooks import CONCURRENCY, Webhooks

CUSTOMERS = 5000
AGENT = "sendbird_desk_agent_id_7e6a1f0c"
# More requests a second of a kind than are answered, since each is sent once.
FASTEST = {"webhook": 60_000, "tickets": 16_000, "previews": 40_000}
# Connections of each kind of load beside Desk's webhooks, and with these.
BESIDE = {"authorize": 16, "webhook": CONNECTIONS, "tickets": 8, "previews": 4}
DESK = 4
SESSION_PATH = "/sendbird/session-token"
# Milliseconds in which Desk's webhooks must be answered; Desk itself waits for a second.
WITHIN = 100


class SessionTokens(BaseHTTPRequestHandler):
    """Sendbird's Platform API as far as it gives session tokens."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = json.dumps({"token": secrets.token_hex(20)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@contextmanager
def platform():
    """The address of that API."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SessionTokens)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Sendbird(Webhooks):
    """The state of this part: one service with an app of each help desk, both with the sink as their only notifier."""

    def __init__(self, options, workspace, stack):
        super().__init__(options, workspace)
        self.desk_app, self.desk_secret = str(uuid.uuid4()).upper(), os.urandom(32)
        self.chat_token, self.number = secrets.token_hex(20), 10**9
        simulated = workspace.directory / "simulated"
        simulated.mkdir()
        desk = stack.enter_context(Simulator(options, simulated)).sendbird
        self.desk_token = (simulated / desk["desk_token"]["file"]).read_text().strip()
        self.settings = {
            "chat_token": workspace.write_secret("chat-token", self.chat_token), "chat_url": stack.enter_context(platform()),
            "desk_token": workspace.write_secret("desk-token", self.desk_token), "desk_url": desk["desk_url"],
            "session_tokens": {"limits": []}, "tickets": True, "url_previews": True,
        }
        self.key = workspace.write_secret("sendbird.key", encode(self.desk_secret))

    def service(self, name, cores=None):
        sink = {"type": "http", "url": self.sink.url, "secret": self.signature, "concurrency": CONCURRENCY}
        pyrus_key = {"id": KEY_ID, "secret": {"file": "../app.key"}}
        apps = [
            {"app_id": self.workspace.app_id, "keys": [pyrus_key], "webhook": {"secret": self.proof}, "notifiers": ["sink"]},
            {
                "app_id": self.desk_app, "help_desk": "sendbird", "keys": [{"id": KEY_ID, "secret": self.key}],
                "sendbird": self.settings, "notifiers": ["sink", "sendbird"],
            },
        ]
        notifiers = {"sink": sink, "sendbird": {"type": "sendbird"}}
        return Service(self.options, self.workspace, f"sendbird-{name}", cores=cores, apps=apps, notifiers=notifiers)

    # The requests.

    def write(self, name, count, line):
        """A file with so many lines, each made of a number that was used for nothing else."""
        path = self.workspace.directory / f"{name}.txt"
        with open(path, "wb") as file:
            for _ in range(count):
                self.number += 1
                file.write(line(self.number) + b"\n")
        return path

    def pyrus_line(self, number):
        """What support writes in Pyrus, as `webhooks.lua` has it."""
        person = number % CUSTOMERS
        return (
            f'{{"ticket_id":{1000 + person},"token":{{"user_id":"user-{person}","app_id":"{self.workspace.app_id}",'
            f'"device_id":"device-{person}","type":"ios"}},"comment":{{"comment_id":{number},'
            '"body":"Good afternoon! Your order has been sent and arrives on Thursday.","is_inbound":false},'
            '"author":{"name":"Anna","avatar_id":5,"avatar_color":"#ff0000"},"created_at":"2026-03-10T08:15:12Z","attachments":[]}'
        ).encode()

    def chat_line(self, number):
        """What support writes in Sendbird, signed."""
        person = number % CUSTOMERS
        text = (
            '{"category":"group_channel:message_send","sender":{"user_id":"' + AGENT + '","nickname":"Anna","profile_url":"",'
            '"metadata":{}},"members":[{"user_id":"' + AGENT + '","nickname":"Anna","is_active":true,"is_online":true,"state":"joined",'
            f'"unread_message_count":0}},{{"user_id":"user-{person}","nickname":"","is_active":true,"is_online":false,"state":"joined",'
            '"unread_message_count":1}],"silent":false,"type":"MESG","payload":{"message_id":' f'{number},"custom_type":"","message":'
            '"Good afternoon! Your order has been sent and arrives on Thursday.","translations":{},"created_at":1773130512000,"data":""},'
            f'"channel":{{"name":"Order {person}","channel_url":"sendbird_desk_{person}","custom_type":"SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE",'
            f'"is_distinct":false,"data":""}},"sdk":"API","app_id":"{self.desk_app}"}}'
        ).encode()
        return hmac.digest(self.chat_token.encode(), text, hashlib.sha256).hex().encode() + b"\t" + text

    def desk_line(self, number):
        """A new ticket, as Desk tells of it, signed."""
        text = (
            '{"eventType":"TICKET.CREATED","createdAt":"2026-03-10T08:15:12Z","data":{"id":' f'{number},"channelUrl":'
            f'"sendbird_desk_new_{number}","channelName":"Order","status":"INITIALIZED","status2":"INITIALIZED","priority":"MEDIUM",'
            f'"closeStatus":"NOT_CLOSED","group":null,"customer":{{"id":11,"sendbirdId":"user-{number % CUSTOMERS}"}}}}}}'
        ).encode()
        return b"sha1=" + hmac.digest(self.desk_token.encode(), text, hashlib.sha1).hex().encode() + b"\t" + text

    def call(self, number, **members):
        """A call of a person who has made none."""
        user_id = f"caller-{number}"
        key = mint(self.desk_secret, self.desk_app, user_id)
        return json.dumps({"app_id": self.desk_app, "user_id": user_id, "security_key": key, **members}).encode()

    def webhooks(self, line, path, connections=CONNECTIONS, header=None, seconds=None):
        count = FASTEST["webhook"] * (seconds or self.options.seconds)
        file = self.write(path.strip("/").replace("/", "-"), count, line)
        return Load((file, header) if header else (file,), "once.lua", path, connections)

    def pyrus(self):
        return self.webhooks(self.pyrus_line, f"/pyrus/webhook/{self.path_secret}")

    def chat(self, seconds=None):
        path = f"/sendbird/chat-webhook/{self.desk_app}"
        return self.webhooks(self.chat_line, path, header="x-sendbird-signature", seconds=seconds)

    def desk(self):
        return self.webhooks(self.desk_line, f"/sendbird/desk-webhook/{self.desk_app}", DESK, "x-hub-signature")

    def tickets(self, seconds):
        file = self.write("tickets", FASTEST["tickets"] * seconds, self.call)
        return Load((file,), "once.lua", "/sendbird/tickets/count", BESIDE["tickets"])

    def previews(self, seconds):
        """Pages at an address that is not public: nothing else can be asked for without a network."""
        file = self.write("previews", FASTEST["previews"] * seconds, lambda number: self.call(number, url=f"http://10.0.0.1/{number}"))
        return Load((file,), "once.lua", "/sendbird/url-preview", BESIDE["previews"])

    # The measured values.

    def accept_load(self, service, load):
        """One measurement of acceptances; raises BadAnswers when the service has not accepted as many events as it answered 200."""
        def accepted():
            return service.counter("deskgate_webhook_events_total", result="accepted")

        before = accepted()
        sample = measure(service.server, self.options.seconds, load, service.cores, self.cores, threads=1)
        if accepted() - before < sample.requests:
            raise BadAnswers(f"{service.name}: answered {sample.requests} webhooks with 200 and accepted {accepted() - before:.0f}")
        return sample

    def beside_pyrus(self):
        """Webhooks of Pyrus and of Chat in turn, after a round to warm up: a pair of samples for each round."""
        pairs = []
        with (service := self.service("webhooks")):
            for number in range(-1, self.options.rounds):
                made = {"pyrus": self.pyrus, "chat": self.chat}
                taken = {side: self.accept_load(service, made[side]()) for side in sorted(made, reverse=number % 2 == 0)}
                if number >= 0:
                    pairs.append((taken["pyrus"], taken["chat"]))
        service.forget()
        return pairs

    def beside_everything(self):
        """The p99 and the longest of Desk's webhooks in ms beside everything else at once, and the rates of all: a list of rounds."""
        rounds = []
        with (service := self.service("beside")):
            self.accept_load(service, self.chat())
            for _ in range(self.options.rounds):
                seconds = self.options.seconds + 2
                loads = {
                    "authorize": authorizations(self.workspace.bodies, BESIDE["authorize"]), "webhook": self.chat(seconds),
                    "tickets": self.tickets(seconds), "previews": self.previews(seconds),
                }
                desk = self.desk()
                # The others begin before and end after.
                running = {name: Wrk(service.port, seconds, load, self.cores, 1) for name, load in loads.items()}
                time.sleep(1)
                report, _ = run_wrk(service.port, self.options.seconds, desk, self.cores, 1)
                reports = {"desk": report, **{name: wrk.report() for name, wrk in running.items()}}
                rates = {name: each["requests"] / each["microseconds"] * 1e6 for name, each in reports.items()}
                rounds.append((report["p99"] / 1e3, report["longest"] / 1e3, rates))
        service.forget()
        return rounds

    def sessions(self):
        """Authorizations and session tokens that are kept, in turn: a pair of samples for each round."""
        server_cores, load_cores = split_cores()
        bodies = self.workspace.directory / "sessions.txt"
        lines = []
        for number in range(self.workspace.USERS):
            user_id = f"customer-{number:06d}"
            lines.append(body(self.desk_app, user_id, mint(self.desk_secret, self.desk_app, user_id)))
        bodies.write_bytes(b"".join(line + b"\n" for line in lines))
        loads = [authorizations(self.workspace.bodies), Load((bodies,), path=SESSION_PATH)]
        pairs = []
        with (service := self.service("sessions", cores=server_cores)):
            self.ask_for_sessions(service, lines)
            for number in range(-1, self.options.rounds):
                before = service.counter("deskgate_session_token_requests_total", result="kept")
                taken = {}
                for side in sorted((0, 1), reverse=number % 2 == 0):
                    taken[side] = measure(service.server, self.options.seconds, loads[side], server_cores, load_cores)
                kept = service.counter("deskgate_session_token_requests_total", result="kept") - before
                if kept < taken[1].requests:
                    raise BadAnswers(f"{taken[1].requests} session tokens were given, and {kept:.0f} of them were kept ones")
                if number >= 0:
                    pairs.append((taken[0], taken[1]))
        service.forget()
        return pairs

    def ask_for_sessions(self, service, lines):
        """Has every person's token kept."""
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
        for line in lines:
            connection.request("POST", SESSION_PATH, line, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise BadAnswers(f"{SESSION_PATH}: {answer.status} {text[:200].decode(errors='replace')}")
        connection.close()


def print_pairs(first, second, pairs):
    rows = [("", f"{first}/s", f"{second}/s", "ratio", "p99 ms", "p99 ms", "CPU µs", "CPU µs", "CPU ratio", "other processes")]
    for number, (left, right) in enumerate(pairs):
        rows.append((
            f"round {number + 1}", f"{left.per_second:,.0f}", f"{right.per_second:,.0f}", f"{right.per_second / left.per_second:.2f}",
            f"{left.p99_ms:.2f}", f"{right.p99_ms:.2f}", f"{left.cpu_us:.1f}", f"{right.cpu_us:.1f}", f"{right.cpu_us / left.cpu_us:.2f}",
            f"{max(left.others_busy, right.others_busy):.0%}"))
    print("\n".join(table(rows)), flush=True)
    warn(sample for pair in pairs for sample in pair)
    return statistics.median(right.per_second / left.per_second for left, right in pairs)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## Sendbird\n", flush=True)
    sendbird = Sendbird(options, workspace, stack)
    webhooks = print_pairs("Pyrus webhooks", "Chat webhooks", sendbird.beside_pyrus())
    print()
    tokens = print_pairs("authorizations", "session tokens", sendbird.sessions())
    print()
    rounds, names = sendbird.beside_everything(), {"desk": "Desk webhooks", "webhook": "Chat webhooks"}
    rows = [("", "p99 ms", "longest ms", *(f"{names.get(name, name)}/s" for name in rounds[0][2]))]
    for number, (p99, longest, rates) in enumerate(rounds):
        rows.append((f"round {number + 1}", f"{p99:.1f}", f"{longest:.1f}", *(f"{rate:,.0f}" for rate in rates.values())))
    print("\n".join(table(rows)), flush=True)
    p99 = statistics.median(p99 for p99, _, _ in rounds)
    return [
        Target(f"verified Chat webhooks/s against Pyrus webhooks/s at {CONNECTIONS} connections >= 0.8: {webhooks:.2f}", webhooks >= 0.8),
        Target(f"session tokens that are kept against authorizations >= 0.7: {tokens:.2f}", tokens >= 0.7),
        Target(f"p99 of Desk webhooks beside everything else <= {WITHIN} ms: {p99:.1f}", p99 <= WITHIN),
    ]
