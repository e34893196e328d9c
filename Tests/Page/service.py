"""A service of the debug build with something to see: people, devices, comments that arrive, fail and wait, refusals, revocations."""
import contextlib
import hashlib
import hmac
import http.server
import json
import pathlib
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests/Python"))
from ports import free_port  # noqa: E402
from waiting import PATIENCE_SECONDS, wait_for, whole_lines  # noqa: E402

DESKGATE = ROOT / ".build/debug/deskgate"
APP, MARKET = "shop", "market"
TICKET_COUNT = 12
RATING_TEXT = "what a customer writes with a rating"
# What a stranger can choose, and what would run or load something if it became markup.
EVIL = "\"><img src=x onerror=alert(1)><script>alert(2)</script>'`${alert(3)}"
EVIL_USER = "<b onmouseover=alert(4)>eve</b>"
LONG_USER = "user-with-a-very-long-name-that-some-backend-makes-from-a-uuid-0123456789abcdef0123456789abcdef"
CYRILLIC_USER = "пользователь-у-которого-очень-длинное-имя-потому-что-так-решил-его-сервер-0123456789"
RIGHT_TO_LEFT_USER = "مستخدم-طويل-الاسم-١٢٣٤٥"
DEAD_COUNT = 230
# FCM takes no push.
REFUSAL = {"provider": "fcm", "endpoint": "send", "times": None, "answer": {"status": 400, "reason": "INVALID_ARGUMENT"}}
# APNs does not know the device phone-0.
GONE = {
    "provider": "apns", "times": None, "match": {"token": hashlib.sha256(b"phone-0").hexdigest()},
    "answer": {"status": 410, "reason": "Unregistered"}}


class Receiver(http.server.ThreadingHTTPServer):
    """Answers the notifiers: /ok 200, /refuses 422, /slow 503; what it answers can change."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        self.answers = {"/ok": 200, "/refuses": 422, "/away": 503, "/gone": 410}
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.server.answers.get(self.path, 404))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Service:
    """The service in a directory of its own. `arrange` changes its configuration before the start, `faults` are those of the push providers."""

    def __init__(self, directory, receiver, arrange=None, faults=()):
        self.directory = directory
        self.receiver = receiver
        self.log = directory / "log.txt"
        self.process = None
        subprocess.run([DESKGATE, "init", directory], check=True, stdout=subprocess.DEVNULL)
        self.config = json.loads((directory / "config.json").read_text())
        self.choose_ports()
        self.config["log"] = {"level": "info", "format": "json"}
        self.config["allow_insecure_secrets"] = True
        app = self.config["apps"][0]
        app["app_id"] = APP
        app["notifiers"] = ["log", "backend", "crm", "archive", "billing"]
        app["keys"].append({"id": 2, "secret": self.new_secret(), "state": "verify_only"})
        app["routes"] = {"ios": "apns", "default": "fcm"}
        base = f"http://127.0.0.1:{receiver.server_port}"
        self.config["notifiers"] = {
            name: {"type": "http", "url": base + place, "secret": self.new_secret("webhook"), "allow_http": True}
            for name, place in [("backend", "/ok"), ("crm", "/refuses"), ("archive", "/away"), ("billing", "/gone")]
        } | {"log": {"type": "log"}} | self.simulate(faults or [REFUSAL, GONE])
        self.tokens = {role: self.new_secret() for role in ("operate", "read", "mint")}
        self.config["admin"]["tokens"] = [
            {"name": f"{role}-holder", "role": role, "token": token} for role, token in self.tokens.items()]
        self.webhook = (directory / "secrets/webhook-1.key").read_text().strip()
        if arrange:
            arrange(self)
        self.write()

    def simulate(self, faults):
        """Starts the push providers. Returns the notifiers for them."""
        place = self.directory / "providers"
        place.mkdir()
        options = [word for fault in faults for word in ("--fault", json.dumps(fault))]
        self.providers = subprocess.Popen(
            [DESKGATE, "simulate", "--directory", place, "--json", *options], stdout=subprocess.PIPE, text=True)
        assert self.providers.stdout.readline(), "the push providers do not start"
        threading.Thread(target=self.providers.stdout.read, daemon=True).start()
        notifiers = json.loads((place / "notifiers.json").read_text())
        self.sendbird = json.loads((place / "sendbird.json").read_text())
        return {name: notifiers[name] for name in ("apns", "fcm")}

    def new_secret(self, kind=None):
        command = [DESKGATE, "secret", "new"] + (["--signing"] if kind else [])
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def write(self):
        path = self.directory / "config.json"
        path.write_text(json.dumps(self.config))
        path.chmod(0o600)

    def choose_ports(self):
        for name in ("listen", "admin"):
            self.config[name]["port"] = free_port()
        self.public, self.admin = (f"http://127.0.0.1:{self.config[name]['port']}" for name in ("listen", "admin"))

    def start(self):
        with self.log.open("w") as log:
            self.process = subprocess.Popen([DESKGATE, "serve", "--config", self.directory / "config.json"], stderr=log)
        self.wait_for(lambda: self.process.poll() is not None or any(line["message"] == "serving" for line in self.lines()), "serves")
        if self.process.poll() is not None:
            raise AssertionError(self.log.read_text()[-3000:])

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE_SECONDS)

    def stop(self):
        self.end()
        self.providers.terminate()
        self.providers.wait(PATIENCE_SECONDS)

    def reload(self):
        before = len(self.lines())
        self.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: any(line["message"] == "configuration reloaded" for line in self.lines()[before:]), "is reloaded")

    def lines(self):
        text = self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in whole_lines(text) if line.startswith("{")]

    def wait_for(self, found, what):
        return wait_for(found, what, lambda: f":\n{self.log.read_text()[-3000:]}")

    def ask(self, method, path, body=None, token="operate"):
        return self.send(self.admin, method, path, body, {"Authorization": f"Bearer {self.tokens[token]}"})

    def send(self, base, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(base + path, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def key(self, user, app=APP):
        status, answer = self.ask("POST", "/v1/keys", {"app_id": app, "user_id": user}, token="mint")
        assert status == 201, answer
        return answer["security_key"]

    def comment(self, user, ticket, comment, device="", app=APP):
        status, answer = self.send(self.public, "POST", f"/pyrus/webhook/{self.webhook}", {
            "ticket_id": ticket, "token": {"app_id": app, "user_id": user, "device_id": device, "type": "ios"},
            "comment": {"comment_id": comment, "body": EVIL}, "author": {"name": EVIL}, "created_at": "2026-03-10T08:15:12Z"})
        assert status == 200, answer

    def register(self, user, device, kind="ios", token=None):
        status, answer = self.send(self.public, "POST", "/pyrus/push-token", {
            "app_id": APP, "user_id": user, "security_key": self.key(user), "instance_id": device, "token": token or self.token(device, kind), "type": kind})
        assert status == 200, answer

    def token(self, device, kind):
        """A token of the provider's form."""
        return f"token-of-{len(device)}-{device[:20]}" if kind == "android" else hashlib.sha256(device.encode()).hexdigest()

    def authorize(self, user, key):
        return self.send(self.public, "POST", "/pyrus/authorize", {"app_id": APP, "user_id": user, "security_key": key})[0]

    def seed(self):
        """Fills it; every name that a stranger chooses is hostile somewhere."""
        for number in range(12):
            self.register(f"user-{number}", f"phone-{number}", "android" if number % 3 else "ios")
        self.register(EVIL_USER, EVIL[:60])
        self.register(LONG_USER, "tablet-" + "9" * 40)
        self.register(CYRILLIC_USER, "телефон")
        self.register(RIGHT_TO_LEFT_USER, "هاتف-١")
        for number in range(DEAD_COUNT):
            self.comment(f"user-{number % 12}", 4000 + number // 10, 9000 + number, f"phone-{number % 12}")
        self.comment(EVIL_USER, 4999, 9999, EVIL[:60])
        self.comment(LONG_USER, 5000, 9_007_199_254_740_993)
        self.comment(CYRILLIC_USER, 5001, 9998, "телефон")
        self.comment(RIGHT_TO_LEFT_USER, 5002, 9997, "هاتف-١")
        self.ask("POST", "/v1/users/sign-out", {"app_id": APP, "user_id": "former-" + CYRILLIC_USER[:80], "reason": CYRILLIC_USER})
        self.good_key = self.key("user-1")
        self.traffic(self.good_key)
        self.ask("POST", "/v1/users/block", {"app_id": APP, "user_id": "user-3", "reason": EVIL})
        self.ask("POST", "/v1/users/sign-out", {"app_id": APP, "user_id": "user-4", "reason": "lost phone"})
        self.wait_for(lambda: self.ask("DELETE", "/v1/deliveries?state=pending&notifier=crm") and self.groups().get(("crm", "purged"), 0) > DEAD_COUNT, "becomes a dead letter")
        self.wait_for(lambda: any(notifier == "fcm" for notifier, _ in self.groups()), "is refused by FCM")

    def with_market(self):
        """Adds an app of Sendbird Desk to the configuration; call it before the start."""
        self.config["apps"].append({
            "app_id": MARKET, "help_desk": "sendbird", "keys": [{"id": 1, "secret": self.new_secret()}],
            "sendbird": self.sendbird | {"session_tokens": {"life_seconds": 3600}, "tickets": True}, "notifiers": ["log", "backend", "sendbird"]})
        self.config["notifiers"]["sendbird"] = {"type": "sendbird"}

    def seed_market(self):
        """Gives it customers with tickets, of which one is closed and rated."""
        for user in ("customer-1", "customer-2", EVIL_USER):
            assert self.session(user) == 200
        assert self.session("customer-1") == 200
        self.ask("POST", "/v1/users/block", {"app_id": MARKET, "user_id": "customer-3", "reason": "rude"})
        assert self.session("customer-3") == 403
        self.tickets = [self.ticket(f"customer-{number % 2 + 1}", f"Ticket {number}", number) for number in range(TICKET_COUNT)]
        self.ticket(EVIL_USER, EVIL[:90], 7)
        for ticket in self.tickets[:3]:
            self.assign(ticket)
        first = self.tickets[0]
        status, answer = self.ask("POST", "/v1/tickets/close", {"app_id": MARKET, "ticket_id": first["ticket_id"]})
        assert status == 200, answer
        self.desk_tells("TICKET.CREATED", first, "INITIALIZED")
        question = {"type": "SENDBIRD_DESK_CUSTOMER_SATISFACTION", "body": {"state": "WAITING", "ticketId": first["ticket_id"]}}
        self.chat_tells("message_send", first, question)
        question["body"] |= {"state": "CONFIRMED", "customerSatisfactionScore": 4, "customerSatisfactionComment": RATING_TEXT}
        self.chat_tells("message_update", first, question)

    def session(self, user):
        return self.send(self.public, "POST", "/sendbird/session-token", {"app_id": MARKET, "user_id": user, "security_key": self.key(user, MARKET)})[0]

    def ticket(self, user, title, order):
        status, answer = self.ask("POST", "/v1/tickets", {
            "app_id": MARKET, "user_id": user, "title": title, "group_key": "cs-team", "custom_fields": {"order": str(order)}, "message": EVIL})
        assert status == 201 and answer["message"] == "sent", answer
        return answer["ticket"]

    def sendbird_token(self, name):
        return pathlib.Path(self.sendbird[name]["file"]).read_text().strip()

    def assign(self, ticket):
        """Somebody of support takes a ticket on."""
        status, answer = self.send(
            self.sendbird["desk_url"], "POST", f"/simulated/tickets/{ticket['ticket_id']}/assign", {},
            {"SENDBIRDDESKAPITOKEN": self.sendbird_token("desk_token")})
        assert status == 200, answer

    def desk_tells(self, event, ticket, state):
        """A webhook of Desk's."""
        self.webhook_of_sendbird("desk", "x-hub-signature", "sha1", "desk_token", {
            "eventType": event, "createdAt": "2026-03-01T10:00:00Z", "data": {
                "id": ticket["ticket_id"], "channelUrl": ticket["channel"], "status2": state, "closeStatus": "NOT_CLOSED", "priority": "MEDIUM",
                "customer": {"id": 11, "sendbirdId": ticket["user_id"]}, "group": {"id": 3, "key": "cs-team"}}})

    def chat_tells(self, category, ticket, data):
        """A webhook of Chat's about a rich message of support's."""
        self.webhook_of_sendbird("chat", "x-sendbird-signature", "sha256", "chat_token", {
            "category": f"group_channel:{category}", "type": "MESG", "sender": {"user_id": "sendbird_desk_agent_id_1", "nickname": "Anna"},
            "payload": {
                "message_id": 8000000001, "custom_type": "SENDBIRD_DESK_RICH_MESSAGE", "message": "How content are you?",
                "data": json.dumps(data, separators=(",", ":")), "created_at": 1772359200000},
            "channel": {"channel_url": ticket["channel"], "custom_type": "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"}, "app_id": MARKET})

    def webhook_of_sendbird(self, kind, header, digest, token, body):
        data = json.dumps(body).encode()
        code = hmac.new(self.sendbird_token(token).encode(), data, digest).hexdigest()
        request = urllib.request.Request(
            f"{self.public}/sendbird/{kind}-webhook/{MARKET}", data, {"Content-Type": "application/json", header: f"sha1={code}" if digest == "sha1" else code})
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            assert json.loads(answer.read())["status"] == "accepted"

    def traffic(self, key, rounds=4):
        for _ in range(rounds):
            for _ in range(6):
                self.authorize("user-1", key)
            self.authorize("user-2", key)
            self.authorize("user-1", "dgk1.not-a-key")

    def groups(self):
        _, answer = self.ask("GET", "/v1/deliveries/reasons")
        return {(group["notifier"], group["reason"]): group["count"] for group in answer["groups"]}


@contextlib.contextmanager
def running(directory, arrange=None, faults=()):
    """A service with its receiver; both end with the block."""
    receiver = Receiver()
    service = Service(pathlib.Path(directory) / "deskgate", receiver, arrange, faults)
    try:
        service.start()
        yield service
    finally:
        service.stop()
        receiver.shutdown()
