"""Drives the debug build through requests and deliveries, and looks at the spans that it exports: traces_test.py [SCENE…]"""
import concurrent.futures
import contextlib
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Tests/Traces"), str(ROOT / "Tests/Python")]
from collector import Collector, Recorder  # noqa: E402
from waiting import PATIENCE_SECONDS, wait_for, whole_lines  # noqa: E402

DESKGATE = ROOT / ".build/debug/deskgate"
SERVER, CLIENT = 2, 3
ERROR = 2
OK = (200, {}, "{}")
# The longest time that the configuration allows for an export.
EXPORT_SECONDS = 60
USER = "user-of-traces"
TEXT = "what support wrote"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Site:
    """A running service with a receiver of events, a backend and a collector."""

    def __init__(self, directory, collector, receiver, backend, **otlp):
        self.collector, self.receiver, self.backend = collector, receiver, backend
        subprocess.run([DESKGATE, "init", directory], check=True, stdout=subprocess.DEVNULL)
        self.path = directory / "config.json"
        config = json.loads(self.path.read_text())
        for name, letter in ("crm", "A"), ("verify", "B"):
            file = directory / f"secrets/{name}.whsec"
            # Made up, and as long as one must be.
            file.write_text("whsec_" + (letter + "GVza2dhdGUtdHJhY2Vz") * 2 + "\n")
            file.chmod(0o600)
        app = config["apps"][0]
        config["allow_insecure_secrets"] = True
        config["listen"]["port"] = config["admin"]["port"] = 0
        config["log"] = {"level": "debug", "format": "json"}
        config["notifiers"] = {"crm": {"type": "http", "url": receiver.url("/events?of=crm"), "secret": {"file": "secrets/crm.whsec"}}}
        app["notifiers"] = ["crm"]
        app["verify"] = {
            "mode": "key_and_backend", "url": backend.url("/check"), "secret": {"file": "secrets/verify.whsec"},
            "timeout_ms": 10_000, "cache": {"positive_seconds": 0, "negative_seconds": 0}}
        config["traces"] = {"otlp": {"url": collector.url("/v1/traces"), **otlp}}
        self.path.write_text(json.dumps(config))
        self.app = app["app_id"]
        self.secret = (directory / app["webhook"]["secret"]["file"]).read_text().strip()
        self.key = subprocess.run(
            [DESKGATE, "key", "mint", "--config", self.path, "--app", self.app, "--user", USER],
            check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        self.log = directory / "log"
        with self.log.open("w") as errors:
            self.process = subprocess.Popen([DESKGATE, "serve", "--config", self.path], stderr=errors)
        serving = self.line("serving")
        self.public, self.admin = serving["public"], serving["admin"]

    def lines(self):
        return [json.loads(line) for line in whole_lines(self.log.read_text()) if line.startswith("{")]

    def line(self, message, **fields):
        """Waits for a line of the log."""
        def found():
            return next((line for line in self.lines() if line["message"] == message and fields.items() <= line.items()), None)
        return wait_for(found, f"logs {message} {fields}")

    def post(self, path, body, **headers):
        """Posts JSON. Returns the status."""
        request = urllib.request.Request(
            f"http://{self.public}{path}", json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def authorize(self, key=None, **headers):
        return self.post("/pyrus/authorize", {"app_id": self.app, "user_id": USER, "security_key": key or self.key}, **headers)

    def webhook(self, comment, **headers):
        return self.post(f"/pyrus/webhook/{self.secret}", {
            "ticket_id": 7, "created_at": "2026-03-10T08:15:12Z", "attachments": [], "author": {"name": "Ann"},
            "token": {"user_id": USER, "app_id": self.app, "device_id": "device-1", "type": "ios"},
            "comment": {"comment_id": comment, "body": TEXT, "is_inbound": False}}, **headers)

    def spans(self, result):
        """The metric of spans."""
        with urllib.request.urlopen(f"http://{self.admin}/metrics", timeout=PATIENCE_SECONDS) as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith(f'deskgate_trace_spans_total{{result="{result}"}}'):
                    return int(line.split()[-1])
        raise AssertionError("there is no such series")

    def stop(self):
        """Stops the service as an operator does."""
        self.process.terminate()
        code = self.process.wait(PATIENCE_SECONDS)
        assert code == 0, f"ended with {code}"


@contextlib.contextmanager
def site(*answers, receiver=(OK,), backend=(OK,), **otlp):
    servers = Collector(*answers), Recorder(*receiver), Recorder(*backend)
    with tempfile.TemporaryDirectory() as name:
        made = Site(pathlib.Path(name) / "deskgate", *servers, **otlp)
        try:
            yield made
            if made.process.poll() is None:
                made.stop()
            assert not servers[0].complaints, servers[0].complaints[0]
        except Exception:
            print(made.log.read_text()[-6000:], file=sys.stderr)
            raise
        finally:
            made.process.kill()
            made.process.wait()
            for server in servers:
                server.stop()


def traceparent(request):
    """The trace, the span and whether it is sampled, of a recorded request."""
    header = request[2]["traceparent"]
    version, trace, span, flags = header.split("-")
    assert version == "00" and flags in ("00", "01"), header
    return trace, span, flags == "01"


def within(inner, outer):
    assert outer.start <= inner.start <= inner.end <= outer.end, (inner.name, outer.name)


def an_authorization_asks_the_backend():
    with site(OK) as it:
        assert it.authorize(traceparent=f"00-{TRACE}-{PARENT}-01") == 200
        served = it.collector.span("the authorization", lambda span: span.kind == SERVER)
        asked = it.collector.span("the check", lambda span: span.kind == CLIENT)
        assert (served.trace, served.parent, served.name) == (TRACE, PARENT, "POST /pyrus/authorize")
        assert served.attributes == {
            "http.request.method": "POST", "http.route": "/pyrus/authorize", "http.response.status_code": 200, "deskgate.app": it.app,
            "deskgate.result": "authorized"}, served.attributes
        assert served.status == 0
        assert (asked.trace, asked.parent) == (TRACE, served.id)
        assert traceparent(it.backend.requests[0]) == (TRACE, asked.id, True)
        host, port = it.backend.server.server_address
        assert asked.attributes == {
            "http.request.method": "POST", "http.response.status_code": 200, "server.address": host, "server.port": port,
            "deskgate.app": it.app, "deskgate.result": "allowed"}, asked.attributes
        within(asked, served)
        assert it.line("authorize")["trace_id"] == TRACE
        resource = served.resource
        assert resource["service.name"] == "deskgate" and resource["service.version"] and resource["service.instance.id"]
        assert set(resource) == {"service.name", "service.version", "service.instance.id"}


def a_denial_and_a_failure_have_spans():
    with site(OK, backend=((500, {}, ""),)) as it:
        assert it.authorize(key="dgk1." + 84 * "A") == 403
        denied = it.collector.span("the denial", lambda span: span.attributes.get("deskgate.result") == "denied")
        assert denied.attributes["http.response.status_code"] == 403 and denied.status == 0 and denied.parent == ""
        assert it.authorize() == 503
        failed = it.collector.span("the failure", lambda span: span.attributes.get("deskgate.result") == "undecided")
        assert failed.status == ERROR and failed.attributes["error.type"] == "503"
        asked = it.collector.span("the check", lambda span: span.kind == CLIENT)
        assert asked.status == ERROR and asked.attributes["error.type"] == "backend_status"
        assert asked.parent == failed.id and asked.trace == failed.trace != denied.trace


def a_webhook_reaches_the_receiver():
    """The receiver fails first: each attempt is a span below the webhook's, and the receiver is told which."""
    with site(OK, receiver=((503, {"Retry-After": "1"}, ""), OK)) as it:
        assert it.webhook(1) == 200
        served = it.collector.span("the webhook", lambda span: span.kind == SERVER)
        assert served.parent == "" and served.name == "POST /pyrus/webhook/:secret"
        assert served.attributes["http.route"] == "/pyrus/webhook/:secret"
        it.collector.span("the second attempt", lambda span: span.attributes.get("deskgate.attempt") == 2)
        first, second = (span for span in it.collector.spans if span.kind == CLIENT)
        assert {first.trace, second.trace} == {served.trace} and first.parent == second.parent == served.id
        told = [traceparent(request) for request in it.receiver.requests]
        assert told == [(served.trace, first.id, True), (served.trace, second.id, True)]
        assert first.name == second.name == "deliver crm"
        assert (first.status, second.status) == (ERROR, 0)
        host, port = it.receiver.server.server_address
        expected = {
            "http.request.method": "POST", "http.response.status_code": 503, "server.address": host, "server.port": port,
            "deskgate.app": it.app, "deskgate.notifier": "crm", "deskgate.event_type": "comment.created", "deskgate.attempt": 1,
            "deskgate.reason": "status_503", "error.type": "status_503"}
        assert expected.items() <= first.attributes.items(), first.attributes
        assert second.attributes["http.response.status_code"] == 200 and "error.type" not in second.attributes
        assert served.start <= first.start and first.end <= second.start
        attempt = it.line("delivery attempt", reason="status_503")
        assert (attempt["trace_id"], attempt["span_id"]) == (served.trace, first.id)
        assert attempt["delivery"] == first.attributes["deskgate.delivery"]
        sent = b"".join(request[3] for request in it.collector.requests).decode()
        for secret in (USER, it.secret, it.key, TEXT, "/events", "of=crm", "device-1", "whsec"):
            assert secret not in sent, secret


def a_registration_reaches_the_receiver():
    with site(OK) as it:
        body = {
            "app_id": it.app, "user_id": USER, "security_key": it.key, "device_id": "device-1", "type": "ios", "token": "token-of-a-phone"}
        assert it.post("/pyrus/push-token", body, traceparent=f"00-{TRACE}-{PARENT}-01") == 200
        served = it.collector.span("the registration", lambda span: span.kind == SERVER)
        told = it.collector.span("the event", lambda span: span.attributes.get("deskgate.event_type") == "push_token.registered")
        asked = it.collector.span("the check", lambda span: span.name == "POST backend")
        assert (served.trace, served.parent, served.name) == (TRACE, PARENT, "POST /pyrus/push-token")
        assert (told.trace, told.parent) == (asked.trace, asked.parent) == (TRACE, served.id)
        assert traceparent(it.receiver.requests[0]) == (TRACE, told.id, True)


def a_strangers_mark_exports_nothing():
    with site(OK, sample_ratio=0) as it:
        assert it.webhook(1, traceparent=f"00-{TRACE}-{PARENT}-01") == 200
        assert it.authorize(traceparent=f"00-{TRACE}-{PARENT}-01") == 200
        it.receiver.wait(lambda receiver: len(receiver.requests) >= 1, "the delivery")
        assert traceparent(it.receiver.requests[0])[::2] == (TRACE, False)
        it.stop()
        assert not it.collector.spans


def the_callers_decision_is_followed():
    with site(OK, sample_ratio=0, parent_based=True) as it:
        assert it.webhook(1, traceparent=f"00-{TRACE}-{PARENT}-00") == 200
        assert it.webhook(2) == 200
        assert it.webhook(3, traceparent=f"00-{TRACE}-{PARENT}-01") == 200
        it.collector.wait(lambda collector: len(collector.spans) >= 2, "the third webhook and its delivery")
        it.receiver.wait(lambda receiver: len(receiver.requests) >= 3, "three deliveries")
        told = {json.loads(request[3])["data"]["comment"]["comment_id"]: traceparent(request) for request in it.receiver.requests}
        assert told[1][0] == TRACE and not told[1][2] and not told[2][2]
        assert told[2][0] != TRACE and told[3] == (TRACE, next(span.id for span in it.collector.spans if span.kind == CLIENT), True)
        it.stop()
        assert len(it.collector.spans) == 2


def an_overloaded_collector_is_asked_again():
    with site((503, {"Retry-After": "2"}, ""), (429, {}, ""), OK) as it:
        assert it.webhook(1) == 200
        it.collector.span("the webhook", lambda span: span.kind == SERVER)
        first, second, third = it.collector.requests[:3]
        assert first[3] == second[3] == third[3], "the same batch comes again"
        assert second[0] - first[0] >= 2, "not before Retry-After"
        assert third[0] - second[0] >= 0.5, "not without a pause"
        it.line("traces cannot be exported; spans are dropped when the queue is full", reason="status_503")
        it.line("traces are exported again")
        wait_for(lambda: it.spans("exported") == 2, "exports both spans")
        assert it.spans("failed") == it.spans("dropped") == 0


def a_partial_success_is_counted():
    with site((200, {}, json.dumps({"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}})), OK) as it:
        assert it.authorize() == 200
        # Both spans of the authorization, in one export or in two.
        it.collector.wait(lambda collector: len(collector.spans) == 2, "both spans")
        wait_for(lambda: it.spans("exported") + it.spans("failed") == 2, "counts both spans")
        assert it.spans("failed") == 1
        it.line("traces cannot be exported; spans are dropped when the queue is full", reason="partial_success")
        assert it.authorize() == 200
        it.line("traces are exported again")


def a_collector_that_hangs_delays_nobody():
    with site(None, timeout_seconds=EXPORT_SECONDS) as it, concurrent.futures.ThreadPoolExecutor(10) as threads:
        comments = itertools.count(1)

        def age():
            """For how many seconds the collector has held the latest export, which ends after EXPORT_SECONDS."""
            return time.monotonic() - it.collector.requests[-1][0]

        def is_answered_meanwhile():
            """Whether requests were answered while the collector held one and the same export."""
            held = len(it.collector.requests)
            works = [threads.submit(it.authorize) for _ in range(50)] + [threads.submit(it.webhook, next(comments)) for _ in range(50)]
            assert all(work.result() == 200 for work in works)
            return len(it.collector.requests) == held and age() < EXPORT_SECONDS - 5

        assert it.authorize() == 200
        it.collector.wait(lambda collector: collector.requests, "an export")
        wait_for(is_answered_meanwhile, "is answered during one export")
        # The stop does not wait for the end of an export either.
        wait_for(lambda: age() < EXPORT_SECONDS / 4, "is exported anew")
        begun = it.collector.requests[-1][0]
        it.stop()
        assert time.monotonic() - begun < EXPORT_SECONDS - 5


SCENES = [
    an_authorization_asks_the_backend, a_denial_and_a_failure_have_spans, a_webhook_reaches_the_receiver,
    a_registration_reaches_the_receiver, a_strangers_mark_exports_nothing, the_callers_decision_is_followed,
    an_overloaded_collector_is_asked_again, a_partial_success_is_counted, a_collector_that_hangs_delays_nobody,
]


def main(names):
    for scene in SCENES:
        if not names or scene.__name__ in names:
            print(scene.__name__.replace("_", " "), flush=True)
            scene()


main(sys.argv[1:])
