"""The security key once more, written from its description alone, so that the vectors don't come from the code that they test."""

import base64
import hashlib
import hmac

PREFIX = "dgk1."
LABEL = b"deskgate/sk/v1"
LATEST_TIME = (1 << 40) - 1
ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
MALFORMED = frozenset(["empty", "too_long", "control_character", "not_a_security_key"])


def encode(data):
    """Unpadded base64url."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text):
    """The bytes of unpadded base64url."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def head(key_id, issued_at, expires_at, salt, flags=0):
    """The 31 bytes that say what the key is."""
    return bytes([flags]) + key_id.to_bytes(4, "big") + issued_at.to_bytes(5, "big") + expires_at.to_bytes(5, "big") + salt


def with_length(identifier):
    """An identifier's bytes after their number."""
    data = identifier.encode("utf-8")
    return len(data).to_bytes(4, "big") + data


def mac(secret, key_head, app_id, user_id):
    """The 32 bytes that prove a key."""
    return hmac.new(secret, LABEL + key_head + with_length(app_id) + with_length(user_id), hashlib.sha256).digest()


def misread_macs(secret, key_head, app_id, user_id):
    """The MACs that somebody gets who misreads one line of the format, by the mistake."""
    big, little = ((lambda data, order=order: len(data).to_bytes(4, order) + data) for order in ("big", "little"))
    app, user = app_id.encode("utf-8"), user_id.encode("utf-8")
    right = LABEL + key_head + big(app) + big(user)
    messages = {
        "no label": key_head + big(app) + big(user),
        "another label": b"deskgate/sk/v2" + key_head + big(app) + big(user),
        "a label with a NUL": LABEL + b"\0" + key_head + big(app) + big(user),
        "the prefix as label": PREFIX.encode() + key_head + big(app) + big(user),
        "no lengths": LABEL + key_head + app + user,
        "little-endian lengths": LABEL + key_head + little(app) + little(user),
        "user before app": LABEL + key_head + big(user) + big(app),
        "no app": LABEL + key_head + big(user),
        "no user": LABEL + key_head + big(app),
        "no salt": LABEL + key_head[:15] + big(app) + big(user),
        "the head as text": LABEL + encode(key_head).encode() + big(app) + big(user),
    }
    macs = {f"MAC made with {name}": hmac.digest(secret, message, "sha256") for name, message in messages.items()}
    spelled = encode(secret).encode()
    return {
        **macs,
        "MAC made with the secret's text": hmac.digest(spelled, right, "sha256"),
        "MAC made with no secret": hmac.digest(b"", right, "sha256"),
        "a hash in place of the MAC": hashlib.sha256(spelled + right).digest(),
        "half of the MAC": hmac.digest(secret, right, "sha256")[:16] + bytes(16),
    }


def text(data):
    """The spelling of 63 bytes."""
    return PREFIX + encode(data)


def utf16_length(value):
    """The number of UTF-16 code units."""
    return len(value.encode("utf-16-le")) // 2


def identifier_problem(value, longest):
    """What is wrong with a field; None when nothing is."""
    if not value:
        return "empty"
    if any(ord(character) < 0x20 or ord(character) == 0x7F for character in value):
        return "control_character"
    return "too_long" if utf16_length(value) > longest else None


def key_problem(value):
    """What is wrong with a security key's text; None when nothing is."""
    problem = identifier_problem(value, 100)
    if problem:
        return problem
    body = value[len(PREFIX):]
    if not value.startswith(PREFIX) or len(body) != 84 or not ALPHABET.issuperset(body) or decode(body)[0] != 0:
        return "not_a_security_key"
    return None


def time_problem(policy, issued_at, expires_at, now):
    """Why a genuine key is not in force; None when it is."""
    skew = policy["clock_skew_seconds"]
    if issued_at > now + skew:
        return "issued_in_future"
    if expires_at != 0 and now > expires_at + skew:
        return "expired"
    return "too_old" if now > issued_at + policy["longest_life_seconds"] + skew else None


def decide(policy, secrets, app_id, user_id, security_key, now):
    """The reason of the answer; `secrets` has a secret for each (app id, key id)."""
    problem = identifier_problem(app_id, 255) or identifier_problem(user_id, 100) or key_problem(security_key)
    if problem:
        return problem
    data = decode(security_key[len(PREFIX):])
    key_id, issued_at, expires_at = (int.from_bytes(data[start:end], "big") for start, end in ((1, 5), (5, 10), (10, 15)))
    if app_id not in {app for app, _ in secrets}:
        return "unknown_app"
    if (app_id, key_id) not in secrets:
        return "unknown_key"
    if mac(secrets[app_id, key_id], data[:31], app_id, user_id) != data[31:]:
        return "wrong_mac"
    return time_problem(policy, issued_at, expires_at, now) or "valid"


def status(reason):
    """The HTTP status that goes with a reason."""
    return 200 if reason == "valid" else 400 if reason in MALFORMED else 403
