"""Asks clients/deskgate.py what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

from deskgate import DeskgateError, mint_security_key, verify_event, verify_security_key


def text(field):
    return bytes.fromhex(field).decode()


def number(field):
    return None if field == "-" else int(field)


def pairs(fields):
    return {text(name): text(value) for name, value in (field.split(":") for field in fields)}


def example(request):
    secret = Path("secrets/app-1.key").read_text()
    security_key = mint_security_key("my-app", "user-1", key_id=1, secret=secret)  # for the signed-in user
    verify_security_key("my-app", "user-1", security_key, {1: secret})  # in a test of yours
    signing_secret = Path("secrets/backend.key").read_text()
    verify_event(request.headers, request.body, [signing_secret])  # raises DeskgateError: answer 401
    return security_key


def of_sendbird(request):
    secret = Path("secrets/sendbird-1.key").read_text()
    signing_secret = Path("secrets/backend.key").read_text()
    security_key = mint_security_key("sendbird-app", "user-1", key_id=1, secret=secret)  # for POST /sendbird/session-token
    verify_event(request.headers, request.body, [signing_secret])  # raises DeskgateError: answer 401
    event = json.loads(request.body)
    score = event["data"]["score"] if event["type"] == "ticket.rated" else None
    return f"{security_key} {score}"


def read(body):
    event = json.loads(body)
    return f"{event['type']} {event['data']['ticket_id']}"


def answer(command, fields):
    if command == "mint":
        app, user, key_id, secret, lifetime, now, salt = fields
        salt = None if salt == "-" else bytes.fromhex(salt)
        return mint_security_key(text(app), text(user), int(key_id), text(secret), int(lifetime), now=number(now), salt=salt)
    if command == "verify":
        app, user, key, now, *secrets = fields
        secrets = {int(key_id): secret for key_id, secret in pairs(secrets).items()}
        verify_security_key(text(app), text(user), text(key), secrets, now=int(now))
        return "valid"
    if command in ("event", "read"):
        now, body, secrets, *headers = fields
        verify_event(pairs(headers), bytes.fromhex(body), [text(secret) for secret in secrets.split(",")[:-1]], now=int(now))
        return "genuine" if command == "event" else read(text(body))
    if command == "not-unicode":
        return mint_security_key("app", "\ud800", 1, "A" * 43)
    if command == "half-second":
        return mint_security_key("app", "user", 1, "A" * 43, 0.5)
    if command == "number":
        return mint_security_key("app", 42, 1, "A" * 43)
    body, *headers = fields
    request = SimpleNamespace(headers=pairs(headers), body=bytes.fromhex(body))
    return of_sendbird(request) if command == "sendbird" else example(request)


for line in sys.stdin:
    command, *fields = line.rstrip("\n").split("\t")
    try:
        print(answer(command, fields), flush=True)
    except DeskgateError as error:
        print(error.reason, flush=True)
