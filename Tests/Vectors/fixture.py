"""The apps with their secrets that the vectors are about, and short ways to make keys for them."""

import hashlib
from dataclasses import dataclass

import security_key

NOTE = (
    "Security keys with the answer that each must get. The secrets are test data, known to everyone: never use one. "
    "Some apps share a secret on purpose, which a configuration allows only with allow_insecure_secrets. "
    "Written by generate.py, not by hand."
)
POLICY = {"clock_skew_seconds": 60, "longest_life_seconds": 200_000_000}

# 2026-01-01T00:00:00Z, thirty days later, and the time at which most vectors are decided.
ISSUED = 1_767_225_600
EXPIRES = ISSUED + 30 * 24 * 3600
NOW = ISSUED + 10

FOX = "\U0001F98A"
PADDED_APP = "Zm9v~YmFy-" * 13 + "=="
LONGEST_APP = "b" * 255
LONGEST_EMOJI_APP = "b" * 253 + FOX
NFC_APP = "caf\u00e9"
NFD_APP = "cafe\u0301"
RTL_APP = "\u0645\u062a\u062c\u0631"
JSON_APP = '{"app_id":"app-1"}'
NEXT_LINE_APP = "app\u0085"


def derived(label, count=32):
    """Bytes that look random and are the same on every run."""
    return hashlib.sha256(("deskgate vectors: " + label).encode("utf-8")).digest()[:count]


def secret(app_id, key_id=1):
    """The secret of an app's key, or of one that does not exist."""
    return SECRETS.get((app_id, key_id)) or derived(f"secret {key_id} of {app_id}")


def made(label, app_id="app-1", user_id="user-42", key_id=1, issued_at=ISSUED, expires_at=EXPIRES, flags=0):
    """A key with a right MAC; the label gives its salt."""
    key_head = security_key.head(key_id, issued_at, expires_at, derived("salt of " + label, 16), flags)
    return signed(key_head, app_id, user_id)


def signed(key_head, app_id="app-1", user_id="user-42"):
    """A head with its right MAC."""
    key_id = int.from_bytes(key_head[1:5], "big")
    return security_key.text(key_head + security_key.mac(secret(app_id, key_id), key_head, app_id, user_id))


def flipped(key, byte, mask):
    """A key with some bits of one of its 63 bytes flipped."""
    data = bytearray(security_key.decode(key[len(security_key.PREFIX):]))
    data[byte] ^= mask
    return security_key.text(bytes(data))


@dataclass(frozen=True)
class Case:
    """A request, the time of the decision, and its reason."""

    name: str
    security_key: str
    reason: str
    app_id: str = "app-1"
    user_id: str = "user-42"
    now: int = NOW
    note: str = ""


def case_of(name, reason, app_id="app-1", user_id="user-42", now=NOW, note="", **key):
    """A case whose key was made for just this app and user, whatever the answer."""
    return Case(name, made(name, app_id, user_id, **key), reason, app_id, user_id, now, note)


def _apps():
    shared = "IpHYzcMQQR5-wnN4pmHJNRh8B-TVY26bw8QAsnJEuM0"
    split = security_key.encode(derived("secret of both split apps"))
    given = [
        ("app-1", {1: shared, 2: "OpfxGuZRBwUGpooC8OFhrzf4bLkHhzjDcPB-jTtYO60"}),
        ("app-2", {1: shared}),
        (PADDED_APP, {4294967295: "OMJ180rtBWrW6o7spBkvof653EsevlXluPm2gO_3bIE"}),
        ("split-a", {1: split}),
        ("split-ab", {1: split}),
        ("edge-keys", dict.fromkeys([0, 1, 2147483647, 2147483648, 4294967295])),
    ]
    own = [
        "a", "app", "app-10", "App-1", "app-1 ", NFC_APP, NFD_APP, RTL_APP, JSON_APP, NEXT_LINE_APP, LONGEST_APP, LONGEST_EMOJI_APP,
    ]
    for app_id, keys in given + [(app_id, {1: None}) for app_id in own]:
        spelled = {key_id: value or security_key.encode(derived(f"secret {key_id} of {app_id}")) for key_id, value in keys.items()}
        yield {"app_id": app_id, "keys": [{"id": key_id, "secret_base64url": value} for key_id, value in spelled.items()]}


APPS = list(_apps())
SECRETS = {(app["app_id"], key["id"]): security_key.decode(key["secret_base64url"]) for app in APPS for key in app["keys"]}
