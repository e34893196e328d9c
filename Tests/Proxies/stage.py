"""A proxy before the replicas, and what scenes send through it."""
import hashlib
import hmac
import json

from clients import ask, curl, request
from proxies import Proxy
from replicas import APP, ROOT, USER
from waiting import wait_for

AUTHORIZE, WEBHOOK, PUSH_TOKEN = "/pyrus/authorize", "/pyrus/webhook", "/pyrus/push-token"
JSON_TYPE = "Content-Type: application/json"
comments = iter(range(1, 1_000_000))


def public_paths():
    """What Deskgate serves to the public, but for its probes, as docs/openapi.json has it."""
    paths = json.loads((ROOT / "docs/openapi.json").read_text())["paths"]
    return [path for path, item in paths.items() if '["public"]' in json.dumps(item) and path not in ("/livez", "/readyz")]


class Stage:
    """A proxy of one kind before the replicas, and what scenes need."""

    def __init__(self, kind, site, directory):
        self.kind, self.site, self.directory = kind, site, directory / kind
        self.proxies = []
        self.proxy = self.front(*(f"127.0.0.1:{replica.port}" for replica in site.replicas))
        # Active checks find the replicas at once, and a proxy without them has nothing to find.
        wait_for(lambda: is_ok(self.authorize()), "authorizes")

    def front(self, *upstreams):
        proxy = Proxy(self.kind, self.directory / f"proxy-{len(self.proxies)}", upstreams)
        self.proxies.append(proxy)
        return proxy

    def stop(self):
        for proxy in self.proxies:
            proxy.stop()

    def credentials(self, **changes):
        return json.dumps({"app_id": APP, "user_id": USER, "security_key": self.site.key, **changes}).encode()

    def ask(self, data, proxy=None, source=None):
        """Sends bytes until the proxy has a replica for them. Returns the answer."""
        def answer():
            reply = ask(proxy or self.proxy, data, source=source)
            return None if self.has_no_replica(reply) else (reply,)

        return wait_for(answer, "is answered by a replica")[0]

    def curl(self, path, body):
        """As `ask`, over HTTP/2. Returns the version, the status and the body."""
        def answer():
            found = curl(self.proxy, path, body)
            return None if found[1] == 503 and self.has_checks else found

        return wait_for(answer, "is answered by a replica")

    @property
    def has_checks(self):
        """Whether the proxy has health checks. On a busy machine a replica may answer them too late, and the proxy then leaves it out."""
        return self.kind != "nginx"

    def has_no_replica(self, reply):
        """Whether a proxy with health checks has answered 503 by itself. An answer of Deskgate has a request id."""
        return self.has_checks and reply is not None and reply.status == 503 and "x-request-id" not in reply.headers

    def authorize(self, proxy=None, source=None, **changes):
        return self.ask(self.authorization(**changes), proxy, source)

    def authorization(self, **changes):
        return request("POST", AUTHORIZE, self.credentials(**changes), JSON_TYPE)

    def webhook(self):
        """A request with a comment that nobody has sent yet."""
        return request("POST", self.secret_path, self.comment()[1], JSON_TYPE)

    def comment(self, app=APP, **changes):
        """A webhook's body with a comment that nobody has sent yet, and spaces and escapes that a proxy might tidy up."""
        number = next(comments)
        token = json.dumps({"app_id": app, "user_id": USER, "device_id": "phone-1", "type": "ios"})
        return number, (
            f'{{ "ticket_id" :7,\t"token": {token},\r\n "comment":{{"comment_id": {number}, "body":"gr\\u00fc\\u00DF dich, Анна 🦊\\/ "}},'
            f' "author": {{"name":"Anna"}},"created_at":"2026-03-10T08:15:12Z"}} \n').encode()

    @property
    def secret_path(self):
        return f"{WEBHOOK}/{self.site.webhook_secret}"

    def signature(self, body):
        return "X-Pyrus-Sig: " + hmac.digest(self.site.signature_secret.encode(), body, hashlib.sha1).hex()


def is_ok(reply):
    return reply is not None and reply.status == 200


def is_error(reply, status, code=None):
    assert reply is not None and reply.status == status, reply
    assert reply.headers["content-type"].startswith("application/json"), reply
    assert reply.json["error"] == code or code is None, reply
