"""Two replicas of the debug build on a PostgreSQL database of their own, and services that restrict their callers."""
import atexit
import http.client
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

from ports import free_port
from waiting import PATIENCE_SECONDS, wait_for

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DESKGATE = ROOT / ".build/debug/deskgate"
APP, SIGNED_APP, USER = "my-app", "signed-app", "user-behind-the-proxy"


processes = []
# So that atexit's functions run.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))


def spawn(command, **options):
    """Starts a process that ends with this one."""
    processes.append(subprocess.Popen(command, **options))
    return processes[-1]


@atexit.register
def end_processes():
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.wait()


def printed(*command):
    return subprocess.run([DESKGATE, *command], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


class Receiver(http.server.ThreadingHTTPServer):
    """Takes the events of the replicas, or answers 503 while `is_away`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        self.is_away = False
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(503 if self.server.is_away else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionResetError:
            pass  # A replica was killed.


class Database:
    """A PostgreSQL server that is reached through a Unix socket alone."""

    def __init__(self, directory):
        self.place = directory / "database"
        self.place.mkdir()
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(self.place, self.user)
        programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda found: int(found.parent.name))
        self.run(programs / "initdb", "-D", self.place / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.log = (directory / "database.log").open("w")
        self.process = spawn(
            [programs / "postgres", "-D", self.place / "data", "-k", self.place, "-c", "listen_addresses=", "-c", "fsync=off"],
            stdout=self.log, stderr=self.log, user=self.user, cwd="/")
        psql = [programs / "psql", "-h", self.place, "-U", "postgres", "-XAtqc"]
        wait_for(lambda: subprocess.run([*psql, "SELECT 1"], stdout=self.log, stderr=self.log).returncode == 0, "starts PostgreSQL")
        subprocess.run([*psql, "CREATE DATABASE deskgate"], check=True)
        self.url = f"postgres://postgres@/deskgate?host={self.place}"

    def run(self, *command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=self.user, cwd="/")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE_SECONDS)


class Service:
    """One process with the configuration of the site and changes of its own."""

    def __init__(self, site, name, **changes):
        self.name, self.site = name, site
        self.path, self.log = site.place / f"{name}.json", site.place / f"{name}.log"
        self.port, self.admin = free_port(), free_port()
        self.config = json.loads(json.dumps(site.config))
        self.config["listen"]["port"], self.config["admin"]["port"] = self.port, self.admin
        self.process = None
        self.change(**changes)

    def change(self, **changes):
        for part, members in changes.items():
            self.config[part] = {**self.config.get(part, {}), **members}
        self.path.write_text(json.dumps(self.config))
        self.path.chmod(0o600)

    def start(self):
        self.process = spawn([DESKGATE, "serve", "--config", self.path], stderr=self.log.open("w"))
        wait_for(lambda: '"serving"' in self.log.read_text() or self.process.poll() is not None, f"serves as {self.name}")
        if self.process.poll() is not None:
            raise AssertionError(f"{self.name} does not start:\n{self.log.read_text()}")
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, path, headers=None):
        """Asks the admin listener. Returns the status and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=PATIENCE_SECONDS)
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.site.token}", **(headers or {})})
        answer = connection.getresponse()
        found = answer.status, answer.read().decode()
        connection.close()
        return found

    def answered(self, *labels):
        """How many requests with these labels it has answered."""
        return self.metric("deskgate_http_requests_total", *labels)

    def metric(self, name, *labels):
        """The sum of the samples with these labels."""
        lines = [line for line in self.ask("/metrics")[1].splitlines() if line.startswith(name + "{")]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if all(label in line for label in labels))


class Site:
    """Secrets, the database, two replicas, and what is known of them."""

    def __init__(self, directory):
        self.place = directory / "deskgate"
        printed("init", str(self.place))
        self.config = json.loads((self.place / "config.json").read_text())
        self.token = (self.place / "secrets/admin-token").read_text().strip()
        self.webhook_secret = (self.place / "secrets/webhook-1.key").read_text().strip()
        self.signature_secret = self.secret("signature.key")
        self.secret("app-2.key")
        self.secret("receiver.key", "--signing")
        self.receiver = Receiver()
        app = self.config["apps"][0]
        app["notifiers"] = ["backend"]
        self.config["apps"].append({
            "app_id": SIGNED_APP, "keys": [{"id": 1, "secret": {"file": "secrets/app-2.key"}}], "notifiers": ["backend"],
            "webhook": {"signature_secret": {"file": "secrets/signature.key"}}})
        self.config["notifiers"] = {"backend": {
            "type": "http", "url": f"http://127.0.0.1:{self.receiver.server_port}/", "secret": {"file": "secrets/receiver.key"}}}
        self.config["push_tokens"] = {"limits": [{"per": "user", "max": 1000, "window_seconds": 300}]}
        # As long as the proxies wait for a body.
        self.config["listen"]["request_timeout_seconds"] = 10
        self.config["log"] = {"level": "info", "format": "json"}
        self.database = Database(directory)
        (self.place / "secrets/database-url").write_text(self.database.url)
        (self.place / "secrets/database-url").chmod(0o600)
        store = {"type": "postgres", "url": {"file": "secrets/database-url"}}
        self.replicas = [Service(self, f"replica-{number}", store=store).start() for number in (1, 2)]
        self.key = printed("key", "mint", "--config", str(self.replicas[0].path), "--app", APP, "--user", USER)
        self.secrets = [self.webhook_secret, self.signature_secret, self.token, self.key, USER]

    def secret(self, name, *options):
        path = self.place / "secrets" / name
        printed("secret", "new", "--out", str(path), *options)
        return path.read_text().strip()

    def stored_comments(self):
        """The identities of all comments in the store, one for each delivery."""
        found, after = [], ""
        while after is not None:
            page = json.loads(self.replicas[1].ask(f"/v1/deliveries?limit=100{after}")[1])
            found += [delivery["comment_id"] for delivery in page["deliveries"]]
            after = f"&after={page['next']}" if page["next"] else None
        return found

    def stop(self):
        for replica in self.replicas:
            replica.stop()
        self.database.stop()
