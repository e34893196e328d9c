"""Calls of bots' functions, whose answers are the company's backend's, or tell that it has given none."""
import http.server
import json
import threading

from clients import ask_directly, request
from replicas import APP, Service
from stage import JSON_TYPE

# By function, what the backend answers and what Deskgate makes of it; 0 is no answer at all.
ANSWERS = {"shows": (200, 200), "misses": (404, 404), "quarrels": (409, 409), "limits": (429, 429), "fails": (503, 502), "hangs": (0, 504)}
# Long where the backend answers, and short where it does not.
TIMEOUT_MILLISECONDS, SHORT_TIMEOUT_MILLISECONDS = 10_000, 500


class Backend(http.server.ThreadingHTTPServer):
    """Answers each path with the status that `ANSWERS` has for it."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        self.ends = threading.Event()
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.ends.set()
        self.shutdown()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, _ = ANSWERS[self.path[1:]]
        if not status:
            self.server.ends.wait()
            return
        body = json.dumps({"said": self.path, "text": "gr\u00fc\u00df dich, \u0410\u043d\u043d\u0430"}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def hands_on_what_backends_say(stage):
    """Through the proxy each call has the status and the body that Deskgate gives without one: also 502 and 504, which are not the proxy's own."""
    backend = Backend()
    secret = f"bot-{stage.kind}.whsec"
    stage.site.secret(secret, "--signing")
    service = Service(stage.site, f"{stage.kind}-bots", store={"type": "memory"})
    service.config["bots"] = [{
        "name": "orders", "apps": [APP], "public_url": "https://deskgate.example.com", "secret": {"file": f"secrets/{secret}"},
        "system_message": "You help with orders.", "functions": [{
            "name": name, "description": "Asks the shop.", "parameters": {"type": "object", "properties": {}},
            "request": {
                "method": "GET", "url": f"http://127.0.0.1:{backend.server_port}/{name}",
                "timeout_ms": TIMEOUT_MILLISECONDS if answer else SHORT_TIMEOUT_MILLISECONDS},
        } for name, (answer, _) in ANSWERS.items()]}]
    service.change()
    service.start()
    try:
        proxy = stage.front(f"127.0.0.1:{service.port}")
        started = stage.ask(request("POST", "/bots/orders/start", stage.credentials(), JSON_TYPE), proxy)
        assert started.status == 200, started
        for name, (_, status) in ANSWERS.items():
            call = request("GET", f"/bots/orders/functions/{name}", b"", f"Authorization: Bearer {started.json['ticket']}")
            passed, plain = stage.ask(call, proxy), ask_directly(service, call)
            assert (passed.status, plain.status) == (status, status), (name, passed, plain)
            assert passed.body == plain.body and passed.headers["content-type"] == plain.headers["content-type"], (name, passed, plain)
            assert status >= 500 or passed.json["said"] == f"/{name}", passed
    finally:
        service.stop()
        backend.stop()
