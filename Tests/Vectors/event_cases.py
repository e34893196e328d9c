"""Requests as the service signs them (Standard Webhooks) and as others would, with what a backend must find."""

import base64
import hashlib
import hmac
import json
import pathlib
import re

from fixture import NOW

NOTE = (
    "Requests to a backend with what it must find at the time now, with a tolerance of 300 seconds. "
    "The secrets are test data, known to everyone: never use one. Written by generate.py, not by hand."
)
TOLERANCE = 300
# 2026-03-10T08:40:00Z, after all samples have happened.
SENT = 1_773_132_000
ID = "evt_01HV2K3M4N5P6Q7R8S9T0V1W2X"
BODY = '{"type": "comment.created", "app_id": "my-app", "user_id": "Пользователь", "data": {"ticket_id": 4211, "text": "Grüße 🦊"}}'


def spelled(data):
    """A signing secret as `deskgate secret new --signing` prints it."""
    return "whsec_" + base64.b64encode(data).decode()


FIRST, SECOND, OTHER = (spelled(bytes(range(start, start + 32))) for start in (0, 32, 64))
SHORTEST, LONGEST = spelled(bytes(range(24))), spelled(bytes(range(64)))


def code(secret, identifier=ID, timestamp=str(NOW), body=BODY):
    """The base64 of a signature."""
    key = base64.b64decode(secret[len("whsec_"):])
    return base64.b64encode(hmac.digest(key, f"{identifier}.{timestamp}.{body}".encode(), hashlib.sha256)).decode()


def case(name, reason, signature=None, secrets=(FIRST,), identifier=ID, timestamp=str(NOW), body=BODY, now=NOW, headers=None):
    """A request; without a signature, one that the first secret has made for just this."""
    signature = "v1," + code(FIRST, identifier, timestamp, body) if signature is None else signature
    if headers is None:
        headers = {"webhook-id": identifier, "webhook-timestamp": timestamp, "webhook-signature": signature}
    return {"name": name, "headers": headers, "body": body, "secrets": list(secrets), "now": now, "reason": reason}


def genuine():
    """What the service has signed."""
    right = "v1," + code(FIRST)
    wrong = "v1," + code(OTHER)
    headers = {"webhook-id": ID, "webhook-timestamp": str(NOW), "webhook-signature": right}
    yield case("one secret", "genuine")
    yield case("no body", "genuine", body="")
    yield case("a body with a line feed at the end", "genuine", body=BODY + "\n")
    yield case("a body with NUL", "genuine", body="a\0b")
    yield case("the shortest secret", "genuine", "v1," + code(SHORTEST), secrets=[SHORTEST])
    yield case("the longest secret", "genuine", "v1," + code(LONGEST), secrets=[LONGEST])
    yield case("a secret with the line feed of its file", "genuine", secrets=[FIRST + "\n"])
    yield case("the new secret, while the old one is replaced", "genuine", secrets=[FIRST, SECOND])
    yield case("the old secret, while it is replaced", "genuine", secrets=[SECOND, FIRST])
    yield case("signed with both, known by the new one", "genuine", f"v1,{code(SECOND)} {right}")
    yield case("signed with both, known by the old one", "genuine", f"{right} v1,{code(SECOND)}")
    yield case("after a wrong signature", "genuine", f"{wrong} {right}")
    yield case("before a wrong signature", "genuine", f"{right} {wrong}")
    yield case("after a signature of another version", "genuine", f"v1a,{code(FIRST)} {right}")
    yield case("after what is no signature", "genuine", f"v1 , x v1,= v1,é {right}")
    yield case("two spaces between signatures", "genuine", f"{wrong}  {right}")
    yield case("headers in upper case", "genuine", headers={name.upper(): value for name, value in headers.items()})
    yield case("headers in title case", "genuine", headers={name.title(): value for name, value in headers.items()})
    yield case("other headers beside", "genuine", headers={"content-type": "application/json", **headers, "x-webhook-id": "other"})
    yield case("300 seconds ago", "genuine", now=NOW + 300)
    yield case("300 seconds ahead", "genuine", now=NOW - 300)
    yield case("a timestamp with a zero in front", "genuine", timestamp="0" + str(NOW))


def samples():
    """The samples of docs/HTTP.md as the service sends them; EventSampleTests compares both with the service's encoder."""
    page = (pathlib.Path(__file__).parents[2] / "docs/HTTP.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```json\n(.*?)^```", page[page.index("\n## Events\n"):], re.MULTILINE | re.DOTALL):
        sample = json.loads(block)
        # An event's id leaves room for those of its deliveries.
        delivery = sample["id"][:-4] + "0001"
        body = json.dumps(sample, ensure_ascii=False, separators=(",", ":"))
        yield case(f"sample: {sample['type']}", "genuine", identifier=delivery, body=body, timestamp=str(SENT), now=SENT)


def expired():
    """What the service has signed at another time."""
    yield case("301 seconds ago", "expired", now=NOW + 301)
    yield case("301 seconds ahead", "expired", now=NOW - 301)
    yield case("a year ago", "expired", now=NOW + 365 * 86400)
    yield case("at time 0", "expired", timestamp="0")
    yield case("in milliseconds", "expired", timestamp=str(NOW * 1000))
    yield case("beyond 32 bits", "expired", timestamp=str(NOW + 2**32))
    yield case("one wrong, one right, long ago", "expired", f"v1,{code(OTHER)} v1,{code(FIRST)}", now=NOW + 3600)


def not_genuine():
    """What the service has not signed."""
    right = code(FIRST)
    flipped = base64.b64encode(bytes([base64.b64decode(right)[0] ^ 1]) + base64.b64decode(right)[1:]).decode()
    signing = base64.b64decode(FIRST[len("whsec_"):])
    for name, signature in {
        "another secret": "v1," + code(OTHER), "one bit flipped": "v1," + flipped, "no version": right, "another version": "v2," + right,
        "an upper-case version": "V1," + right, "a version of public keys": "v1a," + right, "a colon after the version": "v1:" + right,
        "a space after the comma": "v1, " + right, "a comma between signatures": f"v1,{code(OTHER)},v1,{right}",
        "a tab between signatures": f"v1,{code(OTHER)}\tv1,{right}",
        "without padding": "v1," + right.rstrip("="), "with more padding": "v1," + right + "=", "cut": "v1," + right[:-4],
        "half": "v1," + right[:22], "another spelling of the last bits": "v1," + other_spelling(right),
        "letters with their case swapped": "v1," + right.swapcase(), "hexadecimal": "v1," + base64.b64decode(right).hex(),
        "base64url": "v1," + url_safe(), "alone": "v1,", "two words": "v1 " + right, "the secret": FIRST,
        "of the body alone": "v1," + base64.b64encode(hmac.digest(signing, BODY.encode(), hashlib.sha256)).decode(),
        "made with the secret's text": "v1," + base64.b64encode(
            hmac.digest(FIRST.encode(), f"{ID}.{NOW}.{BODY}".encode(), hashlib.sha256)).decode(),
    }.items():
        body = URL_SAFE_BODY if name == "base64url" else BODY
        yield case("a signature: " + name, "not_genuine", signature, body=body)
    yield case("another body", "not_genuine", "v1," + right, body=BODY.replace("4211", "4212"))
    yield case("the body written anew", "not_genuine", "v1," + right, body=BODY.replace(": ", ":"))
    yield case("another id", "not_genuine", "v1," + right, identifier=ID[:-1] + "Y")
    yield case("another timestamp", "not_genuine", "v1," + right, timestamp=str(NOW + 1))
    yield case("another timestamp, long ago", "not_genuine", "v1," + right, timestamp=str(NOW - 86400))
    yield case("a secret that was replaced", "not_genuine", secrets=[SECOND, OTHER])
    yield case("an id with a full stop", "not_genuine", identifier="evt.1")
    yield case("a part moved from timestamp to id", "not_genuine", "v1," + code(FIRST, "evt_1", str(NOW), f"{NOW}.{BODY}"), identifier=f"evt_1.{NOW}")
    for name, timestamp in {
        "negative": "-5", "a fraction": f"{NOW}.5", "a word": "now", "with a space": f"{NOW} ", "hexadecimal": hex(NOW), "in exponents": "1e9",
        "in other digits": "".join(chr(0x660 + int(digit)) for digit in str(NOW)), "of 400 digits": "1" * 400,
    }.items():
        yield case("a timestamp: " + name, "not_genuine", timestamp=timestamp)


def other_spelling(text):
    """Base64 of the same bytes, with an unused bit set."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return text[:-2] + alphabet[alphabet.index(text[-2]) | 1] + "="


# A body whose signature has one of the two characters that differ.
URL_SAFE_BODY = next(body for body in (f'{{"n": {number}}}' for number in range(1000)) if {"+", "/"} <= set(code(FIRST, body=body)))


def url_safe():
    """The signature of that body in the other alphabet."""
    return code(FIRST, body=URL_SAFE_BODY).replace("+", "-").replace("/", "_")


def without_headers():
    """Requests that were not signed."""
    whole = case("", "genuine")["headers"]
    for name in whole:
        yield case(f"no {name}", "missing_header", headers={other: value for other, value in whole.items() if other != name})
        yield case(f"an empty {name}", "missing_header", headers={**whole, name: ""})
    yield case("no header at all", "missing_header", headers={})


def bad_secrets():
    """Secrets that nobody can verify with, which is the backend's mistake."""
    for name, secret in {
        "without whsec_": FIRST[len("whsec_"):], "empty": "", "only whsec_": "whsec_", "of 23 bytes": spelled(bytes(23)),
        "of 65 bytes": spelled(bytes(65)), "with padding in front": "whsec_=" + FIRST[7:], "without padding": FIRST.rstrip("="), "with more padding": FIRST + "====", "with padding that it does not need": SHORTEST + "====", "in base64url": "whsec_-_" + FIRST[8:],
        "with a line feed inside": FIRST[:20] + "\n" + FIRST[20:], "with other text": "whsec_" + "!" * 44,
        "in capitals": "WHSEC_" + FIRST[6:],
    }.items():
        yield case("a secret: " + name, "bad_secret", secrets=[secret])
    yield case("a bad secret beside a good one", "bad_secret", secrets=[FIRST, "whsec_"])
    yield case("no secret", "bad_secret", secrets=[])


def contents():
    """What the file holds."""
    groups = (genuine, samples, expired, not_genuine, without_headers, bad_secrets)
    return {"note": NOTE, "tolerance": TOLERANCE, "events": [entry for group in groups for entry in group()]}
