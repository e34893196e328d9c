"""Deskgate for a backend in Python: mints and verifies security keys, and verifies signed events.

Copy this file; it needs Python 3.8 and no package. DeskgateError.reason is a word of the table in clients/README.md.

    secret = Path("secrets/app-1.key").read_text()
    security_key = mint_security_key("my-app", "user-1", key_id=1, secret=secret)  # for the signed-in user
    verify_security_key("my-app", "user-1", security_key, {1: secret})  # in a test of yours
    signing_secret = Path("secrets/backend.key").read_text()
    verify_event(request.headers, request.body, [signing_secret])  # raises DeskgateError: answer 401
"""

import base64
import hashlib
import hmac
import os
import re
import time
from typing import Iterable, Mapping, Optional

CLOCK_SKEW = 60
"""How far the clocks of backend and service may differ, in seconds, as the service has it by default."""


class DeskgateError(ValueError):
    """Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given."""

    def __init__(self, reason: str, message: str):
        super().__init__(f"{reason}: {message}")
        self.reason = reason


def mint_security_key(
    app_id: str,
    user_id: str,
    key_id: int,
    secret: str,
    lifetime: int = 7 * 86400,
    *,
    now: Optional[int] = None,
    salt: Optional[bytes] = None,
) -> str:
    """Makes a security key of 89 characters.

    `secret` is what `deskgate secret new` prints, and `key_id` its number in the service's configuration. `lifetime` is in seconds; 0
    never ends. Give `now` (Unix seconds) and `salt` (16 bytes) only in tests: each key needs a random salt of its own.
    """
    app, user = _text("app_id", app_id, 255), _text("user_id", user_id, 100)
    now = int(time.time()) if now is None else now
    salt = os.urandom(16) if salt is None else salt
    if not all(isinstance(number, int) for number in (key_id, lifetime, now)):
        raise DeskgateError("bad_argument", "key_id, lifetime and now are of type int")
    if not 0 <= key_id < 1 << 32:
        raise DeskgateError("bad_argument", "key_id is from 0 to 4294967295")
    if lifetime < 0 or now < 0 or now + lifetime >= 1 << 40:
        raise DeskgateError("bad_argument", "lifetime is at least 0 seconds, and the key ends before 2^40")
    if len(salt) != 16:
        raise DeskgateError("bad_argument", "salt is 16 bytes")
    expires_at = now + lifetime if lifetime else 0
    head = b"\0" + key_id.to_bytes(4, "big") + now.to_bytes(5, "big") + expires_at.to_bytes(5, "big") + salt
    return "dgk1." + base64.urlsafe_b64encode(head + _mac(_key_secret(secret), head, app, user)).decode()


def verify_security_key(
    app_id: str, user_id: str, security_key: str, secrets: Mapping[int, str], *, now: Optional[int] = None
) -> None:
    """Raises DeskgateError unless the key is genuine and in force; `secrets` has the app's secrets by key id.

    The service alone knows what is revoked or blocked, and how long a key may live.
    """
    app, user = _text("app_id", app_id, 255), _text("user_id", user_id, 100)
    text = _text("security_key", security_key, 100)
    # The first byte of the head is 0: in base64url A and one of A to P.
    if not re.fullmatch(rb"dgk1\.A[A-P][A-Za-z0-9_-]{82}", text):
        raise DeskgateError("not_a_security_key", "expected dgk1. and 84 base64url characters")
    data = base64.urlsafe_b64decode(text[5:])
    head, mac = data[:31], data[31:]
    key_id, issued_at, expires_at = (int.from_bytes(head[a:b], "big") for a, b in ((1, 5), (5, 10), (10, 15)))
    if key_id not in secrets:
        raise DeskgateError("unknown_key", "there is no secret of this key id")
    if not hmac.compare_digest(_mac(_key_secret(secrets[key_id]), head, app, user), mac):
        raise DeskgateError("wrong_mac", "made with another secret, or for another app or user")
    now = int(time.time()) if now is None else now
    if issued_at > now + CLOCK_SKEW:
        raise DeskgateError("issued_in_future", "issued later than now; one of the clocks is wrong")
    if expires_at != 0 and now > expires_at + CLOCK_SKEW:
        raise DeskgateError("expired", "its life is over")


def verify_event(
    headers: Mapping[str, str], body: bytes, secrets: Iterable[str], *, now: Optional[int] = None, tolerance: int = 300
) -> None:
    """Raises DeskgateError unless the service has signed this request (Standard Webhooks) at most `tolerance` seconds from now.

    `headers` may have any case, `body` is raw, as it was received, and `secrets` (`whsec_…`) are several while one is replaced.
    A retry has the same `webhook-id`, so remember the ids that you have processed.
    """
    if not isinstance(body, (bytes, bytearray)):
        raise DeskgateError("bad_argument", "body is of type bytes, as it was received")
    given = {name.lower(): value for name, value in headers.items()}
    parts = [given.get("webhook-" + name) for name in ("id", "timestamp", "signature")]
    if not all(parts):
        raise DeskgateError("missing_header", "expected webhook-id, webhook-timestamp and webhook-signature")
    identifier, timestamp, signatures = (part.encode("utf-8", "surrogatepass") for part in parts)
    keys = [_signing_secret(secret) for secret in secrets]
    if not keys:
        raise DeskgateError("bad_secret", "expected at least one secret")
    genuine = False
    for key in keys:
        code = hmac.new(key, identifier + b"." + timestamp + b"." + body, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(code)
        for signature in signatures.split(b" "):
            genuine |= hmac.compare_digest(expected, signature)
    if not genuine or b"." in identifier or not re.fullmatch(rb"[0-9]{1,15}", timestamp):
        raise DeskgateError("not_genuine", "made with another secret, or of another body")
    if abs((int(time.time()) if now is None else now) - int(timestamp)) > tolerance:
        raise DeskgateError("expired", "signed too long before or after now")


def _mac(secret: bytes, head: bytes, app: bytes, user: bytes) -> bytes:
    message = b"deskgate/sk/v1" + head + len(app).to_bytes(4, "big") + app + len(user).to_bytes(4, "big") + user
    return hmac.new(secret, message, hashlib.sha256).digest()


def _text(name: str, value: str, longest: int) -> bytes:
    """The UTF-8 of a text of 1 to `longest` UTF-16 units without control characters."""
    if not isinstance(value, str):
        raise DeskgateError("bad_argument", f"{name} is a str")
    if not value:
        raise DeskgateError("empty", f"{name} is empty")
    if re.search(r"[\x00-\x1f\x7f]", value):
        raise DeskgateError("control_character", f"{name} has a control character")
    try:
        if len(value.encode("utf-16-le")) > 2 * longest:
            raise DeskgateError("too_long", f"{name} has more than {longest} UTF-16 units")
        return value.encode()
    except UnicodeEncodeError:
        raise DeskgateError("not_unicode", f"{name} has half of a surrogate pair") from None


def _key_secret(text: str) -> bytes:
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9_-]{43}", text.strip()):
        raise DeskgateError("bad_secret", "a secret is 43 base64url characters, as deskgate secret new prints it")
    return base64.urlsafe_b64decode(text.strip() + "=")


def _signing_secret(text: str) -> bytes:
    match = re.fullmatch(r"whsec_([A-Za-z0-9+/]{32,86}={0,2})", text.strip()) if isinstance(text, str) else None
    if not match or len(match[1]) % 4 != 0:
        raise DeskgateError("bad_secret", "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it")
    return base64.b64decode(match[1])
