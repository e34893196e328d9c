"""Answers that a server must give before it is measured, so that nobody is measured doing wrong work."""

import http.client
import json
import time
from typing import NamedTuple

from fixtures import body, mint

AUTHORIZED = {"status": "authorized"}
LIMIT = 16 * 1024
PATH = "/pyrus/authorize"


class Case(NamedTuple):
    name: str
    expected: int
    body: bytes
    method: str = "POST"
    path: str = PATH
    content_type: str | None = "application/json"


class WrongAnswer(Exception):
    """A server answered a case with another status or body than it must."""


def flip(key, index):
    """The key with one character of its text replaced by another of the alphabet."""
    return key[:index] + ("B" if key[index] == "A" else "A") + key[index + 1 :]


def accepted(workspace):
    app_id, secret, now = workspace.app_id, workspace.secret, int(time.time())

    def case(name, user_id="user-42", **fields):
        return Case(name, 200, body(app_id, user_id, mint(secret, app_id, user_id, **fields)))

    plain = body(app_id, "user-42", mint(secret, app_id, "user-42"))
    yield case("valid")
    yield case("never expires", expires_at=0)
    yield case("inside the skew after expiry", issued_at=now - 100, expires_at=now - 30)
    yield case("issued inside the skew", issued_at=now + 30)
    yield case("non-ASCII user", "Пользователь №7")
    yield case("100 UTF-16 units of emoji", "\U0001f600" * 50)
    yield case("user with delimiters", 'a:b"c\\d/é')
    yield case("composed accent", "caf\u00e9")
    yield Case("escaped text", 200, json.dumps(json.loads(plain)).replace("user", "\\u0075ser", 1).encode())
    yield Case("unknown members", 200, plain[:-1] + b', "extra": {"list": [1, 2.5, null, true]}}')
    yield Case("media type with a charset", 200, plain, content_type="application/json; charset=utf-8")
    yield Case("no media type", 200, plain, content_type=None)
    yield Case("the largest body", 200, plain + b" " * (LIMIT - len(plain)))


def denied(workspace):
    app_id, secret, now = workspace.app_id, workspace.secret, int(time.time())
    key = mint(secret, app_id, "user-42", salt=bytes(16))

    def case(name, security_key, user_id="user-42", app=app_id):
        return Case(name, 403, body(app, user_id, security_key))

    yield case("expired", mint(secret, app_id, "user-42", issued_at=now - 1000, expires_at=now - 120))
    yield case("issued in the future", mint(secret, app_id, "user-42", issued_at=now + 120))
    yield case("other user", key, "user-42x")
    yield case("decomposed accent", mint(secret, app_id, "caf\u00e9"), "cafe\u0301")
    yield case("unknown app", mint(secret, "app-9", "user-42"), app="app-9")
    yield case("unknown key id", mint(secret, app_id, "user-42", key_id=7))
    yield case("other secret", mint(bytes(32), app_id, "user-42"))
    yield case("boundary between app and user moved", key, "=user-42", app_id[:-1])
    # Five characters of prefix, then six bits a character: head[31], of which the last 16 are the salt, and mac[32].
    for name, index in (("key id", 10), ("issue time", 17), ("expiry", 24), ("salt", 30), ("first of the MAC", 47), ("last of the MAC", 88)):
        yield case(f"changed: {name}", flip(key, index))


def malformed(workspace):
    app_id, secret = workspace.app_id, workspace.secret
    key = mint(secret, app_id, "user-42")
    plain = body(app_id, "user-42", key)

    keys = {
        "flags": mint(secret, app_id, "user-42", flags=1),
        "version": "dgk2." + key[5:],
        "no version": key[5:],
        "upper-case prefix": "DGK1." + key[5:],
        "padding": key + "=",
        "short": key[:-1],
        "long": key + "A",
        "other alphabet": key[:-1] + "/",
        "trailing line feed": key + "\n",
        "line feed inside": key[:40] + "\n" + key[41:],
        "leading space": " " + key[:-1],
        "not ASCII": key[:-1] + "é",
        "empty": "",
    }
    for name, value in keys.items():
        yield Case(f"key: {name}", 400, body(app_id, "user-42", value))
    users = {"empty": "", "101 units": "a" * 101, "102 units of emoji": "\U0001f600" * 51, "NUL": "a\0b", "line feed": "a\nb", "DEL": "a\x7f"}
    for name, value in users.items():
        yield Case(f"user: {name}", 400, body(app_id, value, mint(secret, app_id, value)))
    yield Case("app: empty", 400, body("", "user-42", key))
    yield Case("app: 256 units", 400, body("a" * 256, "user-42", mint(secret, "a" * 256, "user-42")))
    for field in ("app_id", "user_id", "security_key"):
        fields = json.loads(plain)
        yield Case(f"{field}: null", 400, json.dumps(fields | {field: None}).encode())
        yield Case(f"{field}: number", 400, json.dumps(fields | {field: 42}).encode())
        del fields[field]
        yield Case(f"{field}: missing", 400, json.dumps(fields).encode())
    bodies = {"empty": b"", "list": b"[" + plain + b"]", "text": b'"text"', "null": b"null", "cut off": plain[:-1], "trailing": plain + b"x"}
    for name, value in (bodies | {"not UTF-8": plain.replace(b"user-42", b"user-\xff")}).items():
        yield Case(f"body: {name}", 400, value)


def strict(workspace):
    """What the usual JSON parsers of Go, Node and Python let pass; only the floor and Deskgate do this work."""
    plain = workspace.valid_body(1)
    yield Case("member given twice", 400, plain[:-1] + b', "user_id": "customer-000001"}')
    yield Case("lone surrogate", 400, plain.replace(b"customer-000001", b"customer-\\ud800"))


def elsewhere(workspace):
    plain = workspace.valid_body(1)
    yield Case("body over the limit", 413, plain + b" " * (LIMIT + 1 - len(plain)))
    yield Case("other path", 404, plain, path="/pyrus/elsewhere")
    yield Case("other method", 405, b"", method="GET")


def ask(port, case):
    """The status, media type and body that the server on `port` gives."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        headers = {} if case.content_type is None else {"Content-Type": case.content_type}
        connection.request(case.method, case.path, case.body, headers)
        response = connection.getresponse()
        return response.status, response.getheader("Content-Type", ""), response.read()
    finally:
        connection.close()


def verify(peer, port, workspace):
    """Asks every case that applies; returns how many there were, or raises WrongAnswer for the first wrong one."""
    if not peer.authorizes:
        cases = [Case("constant", 200, workspace.valid_body())]
    else:
        groups = [accepted, denied, malformed, elsewhere] + ([strict] if peer.strict else [])
        cases = [case for group in groups for case in group(workspace)]
    refusals = set()
    for case in cases:
        status, media_type, answer = ask(port, case)
        if status != case.expected:
            raise WrongAnswer(f"{peer.name}: {case.name}: expected {case.expected}, got {status}")
        if status == 200 and (json.loads(answer) != AUTHORIZED or not media_type.startswith("application/json")):
            raise WrongAnswer(f"{peer.name}: {case.name}: 200 with another body than every peer sends")
        refusals.update([answer] if status == 403 else [])
    if len(refusals) > 1:
        raise WrongAnswer(f"{peer.name}: 403 has more than one body")
    return len(cases)
