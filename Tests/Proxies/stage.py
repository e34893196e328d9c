"""A proxy before the replicas, and what scenes send through it."""
import hashlib
import hmac
import json

from clients import ask, request
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
        wait_for(lambda: self.authorize().status == 200, "authorizes")

    def front(self, first, second=None):
        proxy = Proxy(self.kind, self.directory / f"proxy-{len(self.proxies)}", (first, second or first))
        self.proxies.append(proxy)
        return proxy

    def stop(self):
        for proxy in self.proxies:
            proxy.stop()

    def credentials(self, **changes):
        return json.dumps({"app_id": APP, "user_id": USER, "security_key": self.site.key, **changes}).encode()

    def authorize(self, proxy=None, source=None, **changes):
        return ask(proxy or self.proxy, request("POST", AUTHORIZE, self.credentials(**changes), JSON_TYPE), source=source)

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


def is_error(reply, status, code=None):
    assert reply is not None and reply.status == status, reply
    assert reply.headers["content-type"].startswith("application/json"), reply
    assert reply.json["error"] == code or code is None, reply
