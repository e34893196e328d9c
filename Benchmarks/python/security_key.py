"""The verdict on a security key in Python, with the standard library."""

import base64
import hashlib
import hmac
import json
import re
from pathlib import Path

HEAD_LENGTH = 31
CLOCK_SKEW = 60
STAND_IN = bytes(32)
CONTROL = re.compile("[\x00-\x1f\x7f]")
GRAMMAR = re.compile("dgk1\\.[A-Za-z0-9_-]{84}")


def read_configuration(path):
    """The parsed file and its keyring: a secret by app id and key id."""
    configuration = json.loads(Path(path).read_text())
    keyring = {}
    for app in configuration["apps"]:
        for key in app["keys"]:
            encoded = (Path(path).parent / key["secret"]["file"]).read_text().strip()
            keyring[app["app_id"], key["id"]] = base64.urlsafe_b64decode(encoded + "=")
    return configuration, keyring


def identifier(value, largest):
    """The UTF-8 bytes, or None when the grammar refuses the value."""
    if not isinstance(value, str) or not value or CONTROL.search(value):
        return None
    try:
        return value.encode() if len(value.encode("utf-16-le")) <= 2 * largest else None
    except UnicodeEncodeError:
        return None


def decode_key(value):
    """The 63 bytes of a well-formed key, or None."""
    if not isinstance(value, str) or not GRAMMAR.fullmatch(value):
        return None
    decoded = base64.urlsafe_b64decode(value[5:])
    return decoded if decoded[0] == 0 else None


def decide(keyring, body, now):
    """The verdict on a body, by name."""
    try:
        request = json.loads(body.decode())
    except (ValueError, RecursionError):
        return "malformed_body"
    if not isinstance(request, dict):
        return "malformed_body"
    if (app_id := identifier(request.get("app_id"), 255)) is None:
        return "malformed_app_id"
    if (user_id := identifier(request.get("user_id"), 100)) is None:
        return "malformed_user_id"
    if (decoded := decode_key(request.get("security_key"))) is None:
        return "malformed_security_key"
    return judge(keyring, request["app_id"], app_id, user_id, decoded, now)


def judge(keyring, app, app_id, user_id, decoded, now):
    head, mac = decoded[:HEAD_LENGTH], decoded[HEAD_LENGTH:]
    secret = keyring.get((app, int.from_bytes(head[1:5], "big")))
    lengths = (len(app_id).to_bytes(4, "big"), len(user_id).to_bytes(4, "big"))
    message = b"".join((b"deskgate/sk/v1", head, lengths[0], app_id, lengths[1], user_id))
    expected = hmac.digest(secret or STAND_IN, message, hashlib.sha256)
    if not hmac.compare_digest(expected, mac) or secret is None:
        return "denied"
    issued_at, expires_at = int.from_bytes(head[5:10], "big"), int.from_bytes(head[10:15], "big")
    timely = issued_at <= now + CLOCK_SKEW and (expires_at == 0 or now <= expires_at + CLOCK_SKEW)
    return "authorized" if timely else "denied"
