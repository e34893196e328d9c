"""Cases about the key itself: its bits, its times, its spelling, and the ways in which an implementation makes it wrongly."""

import base64

import security_key
from fixture import EXPIRES, ISSUED, NOW, POLICY, Case, case_of, derived, flipped, made, secret, signed

KEY = made("the key of most cases")
LATEST = security_key.LATEST_TIME
SKEW = POLICY["clock_skew_seconds"]
LONGEST = POLICY["longest_life_seconds"]


def tampered():
    """One bit of each byte of the head flipped, and some of the MAC."""
    for bit in range(8):
        yield Case(f"flag bit {bit} set in a genuine key", flipped(KEY, 0, 1 << bit), "not_a_security_key")
        yield case_of(f"flag bit {bit} with a right MAC", "not_a_security_key", flags=1 << bit)
    for byte in range(1, 5):
        yield Case(f"key id byte {byte - 1} changed", flipped(KEY, byte, 0x80), "unknown_key")
    for byte in range(5, 10):
        yield Case(f"issue time byte {byte - 5} changed", flipped(KEY, byte, 1), "wrong_mac")
    for byte in range(10, 15):
        yield Case(f"expiry byte {byte - 10} changed", flipped(KEY, byte, 1), "wrong_mac")
    for byte in (15, 22, 30):
        yield Case(f"salt byte {byte - 15} changed", flipped(KEY, byte, 0x10), "wrong_mac")
    for byte in (31, 46, 47, 61, 62):
        yield Case(f"MAC byte {byte - 31} changed", flipped(KEY, byte, 0x40), "wrong_mac")


def assembled():
    """Parts of genuine keys that don't belong together, and times that don't matter because the MAC is wrong."""
    head, mac = security_key.decode(KEY[5:])[:31], security_key.decode(KEY[5:])[31:]
    other = security_key.decode(made("another key")[5:])
    edge = made("edge", "edge-keys", key_id=1)
    yield Case("head of one key, MAC of another", security_key.text(head + other[31:]), "wrong_mac")
    yield Case("MAC of ones", security_key.text(head + b"\xff" * 32), "wrong_mac")
    yield Case("MAC turned round", security_key.text(head + mac[::-1]), "wrong_mac")
    yield Case("bytes of zeros", security_key.text(bytes(63)), "unknown_key")
    yield Case("another key of the same app in the head", flipped(edge, 4, 1), "wrong_mac", "edge-keys")
    yield Case("largest key id in the head of another key", flipped(flipped(edge, 1, 0x80), 4, 1), "wrong_mac", "edge-keys")
    expired = made("expired", expires_at=ISSUED + 1)
    yield Case("expired and forged", flipped(expired, 62, 1), "wrong_mac", now=EXPIRES)
    future = made("future", issued_at=EXPIRES)
    yield Case("issued in the future and forged", flipped(future, 62, 1), "wrong_mac")
    yield Case("expired, for another user", expired, "wrong_mac", user_id="user-43", now=EXPIRES)


def miscomputed():
    """MACs that an implementation gets when it misreads one line of the format."""
    head = security_key.head(1, ISSUED, EXPIRES, derived("salt of the miscomputed", 16))
    for name, mac in security_key.misread_macs(secret("app-1"), head, "app-1", "user-42").items():
        yield Case(name, security_key.text(head + mac), "wrong_mac")


def key_ids():
    """Key ids at the edges of 32 bits."""
    for key_id in (0, 2147483647, 2147483648, 4294967295):
        yield case_of(f"valid, key id {key_id}", "valid", "edge-keys", key_id=key_id)
    for key_id in (2, 256, 16777216, 4294967294):
        yield case_of(f"unknown key id {key_id}", "unknown_key", "edge-keys", key_id=key_id)
    yield case_of("key id 0 of an app without it", "unknown_key", key_id=0)
    yield case_of("unknown key id, expired", "unknown_key", key_id=9, expires_at=ISSUED, now=EXPIRES)
    yield case_of("second key's id in an app that has one", "unknown_key", "app-2", key_id=2)


def windows():
    """Each edge of a key's time, a second before and after it."""
    for offset, reason in ((-1, "valid"), (0, "valid"), (1, "issued_in_future")):
        yield case_of(f"issued skew{offset:+d} s ahead", reason, issued_at=NOW + SKEW + offset)
        yield case_of(f"issued skew{offset:+d} s ahead, never expires", reason, issued_at=NOW + SKEW + offset, expires_at=0)
    for offset, reason in ((-1, "valid"), (0, "valid"), (1, "expired")):
        yield case_of(f"expired skew{offset:+d} s ago", reason, now=EXPIRES + SKEW + offset)
    for offset, reason in ((-1, "valid"), (0, "valid"), (1, "too_old")):
        yield case_of(f"longest life and skew{offset:+d} s old", reason, expires_at=0, now=ISSUED + LONGEST + SKEW + offset)
    yield case_of("valid, issued and expiring now", "valid", issued_at=NOW, expires_at=NOW)
    yield case_of("valid, in its last second", "valid", now=EXPIRES)
    yield case_of("expiry before issue, inside the skew", "valid", issued_at=NOW, expires_at=NOW - 1)
    yield case_of("expiry before issue", "expired", issued_at=NOW, expires_at=NOW - 100)
    yield case_of("issued in the future and expired", "issued_in_future", issued_at=NOW + 100, expires_at=NOW - 100)
    yield case_of("too old and expired", "expired", issued_at=NOW - 2 * LONGEST, expires_at=NOW - LONGEST)
    yield case_of("too old, expires later", "too_old", issued_at=NOW - LONGEST - 100)


def extreme_times():
    """Times at the edges of 32 and 40 bits."""
    def case(name, reason, issued_at, expires_at, now):
        return case_of(name, reason, issued_at=issued_at, expires_at=expires_at, now=now)

    yield case("valid, all times 0", "valid", 0, 0, 0)
    yield case("issued skew after time 0", "valid", SKEW, 0, 0)
    yield case("issued more than the skew after time 0", "issued_in_future", SKEW + 1, 0, 0)
    yield case("expiry 1 inside the skew", "valid", 0, 1, 1 + SKEW)
    yield case("expiry 1 past the skew", "expired", 0, 1, 2 + SKEW)
    yield case("issued at time 0, longest life", "valid", 0, 0, LONGEST + SKEW)
    yield case("issued at time 0, today", "too_old", 0, 0, NOW)
    yield case("valid, across 31 bits", "valid", 2**31 - 1, 2**31, 2**31)
    yield case("valid, across 32 bits", "valid", 2**32 - 1, 2**32, 2**32)
    yield case("expired after 32 bits", "expired", 2**32 - 1, 2**32, 2**32 + SKEW + 1)
    yield case("expiry 2^32 is not 0", "expired", ISSUED, 2**32, ISSUED + 2**32)
    yield case("valid, latest times", "valid", LATEST, LATEST, LATEST)
    yield case("latest expiry inside the skew", "valid", LATEST - 1, LATEST, LATEST + SKEW)
    yield case("latest expiry past the skew", "expired", LATEST - 1, LATEST, LATEST + SKEW + 1)
    yield case("latest issue inside the skew", "valid", LATEST, 0, LATEST - SKEW)
    yield case("latest issue past the skew", "issued_in_future", LATEST, 0, LATEST - SKEW - 1)
    yield case("latest issue, clock beyond 40 bits", "valid", LATEST, 0, LATEST + LONGEST + SKEW)
    yield case("latest issue, too old", "too_old", LATEST, 0, LATEST + LONGEST + SKEW + 1)
    yield case("latest issue today", "issued_in_future", LATEST, LATEST, NOW)
    yield case("valid, latest expiry", "valid", ISSUED, LATEST, NOW)


def prefixes():
    """What is nearly dgk1."""
    body = KEY[5:]
    for name, prefix in {
        "no full stop": "dgk1", "a colon": "dgk1:", "a comma": "dgk1,", "two full stops": "dgk1..", "an upper-case letter": "Dgk1.",
        "version 0": "dgk0.", "version 01": "dgk01.", "version 10": "dgk10.", "itself twice": "dgk1.dgk1.", "letters changed": "dkg1.",
        "an l for the 1": "dgkl.", "a fullwidth d": "\uff44gk1.", "a Cyrillic d": "\u0501gk1.", "a fullwidth full stop": "dgk1\uff0e",
        "an Arabic-Indic 1": "dgk\u0661.", "a byte order mark": "\ufeffdgk1.", "a quotation mark": '"dgk1.', "a scheme": "Bearer dgk1.",
        "a percent-encoded d": "%64gk1.", "a percent-encoded full stop": "dgk1%2E",
    }.items():
        yield Case(f"prefix with {name}", prefix + body, "not_a_security_key")
    yield Case("prefix alone", "dgk1.", "not_a_security_key")
    yield Case("prefix at the end", body + "dgk1.", "not_a_security_key")


def spellings():
    """Other texts that somebody might take for the same key."""
    genuine = next(key for key in (made(f"with - and _ {number}") for number in range(1000)) if "-" in key and "_" in key)
    standard = "dgk1." + base64.b64encode(security_key.decode(genuine[5:])).decode()
    data = security_key.decode(KEY[5:])
    yield Case("valid, with - and _", genuine, "valid")
    for name, text in {
        "the whole key in standard base64": standard, "two padding characters": KEY + "==", "a space at the end": KEY + " ",
        "a space inside": KEY[:40] + " " + KEY[40:], "a space in place of a character": KEY[:40] + " " + KEY[41:],
        "a no-break space at the end": KEY + "\u00a0", "a zero-width space inside": KEY[:40] + "\u200b" + KEY[40:],
        "a combining accent at the end": KEY + "\u0301", "a combining accent in the last place": KEY[:-1] + "\u0301",
        "a Cyrillic A": KEY[:5] + "\u0410" + KEY[6:], "a fullwidth A": KEY[:5] + "\uff21" + KEY[6:],
        "a hyphen that is not ASCII": genuine.replace("-", "\u2010"), "a low line that is not ASCII": genuine.replace("_", "\uff3f"),
        "89 bytes in 88 UTF-16 units": KEY[:-2] + "\u00e9", "letters with their case swapped": "dgk1." + KEY[5:].swapcase(),
        "a full stop inside": KEY[:48] + "." + KEY[48:], "a tilde in place of a character": KEY[:-1] + "~",
        "one byte too few": security_key.text(data[:-1]), "one byte too many": security_key.text(data + b"\0"),
        "the head alone": security_key.text(data[:31]), "the MAC alone": security_key.text(data[31:]),
        "hexadecimal": "dgk1." + data.hex()[:84], "a JSON Web Token": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyLTQyIn0.", "one character": "d",
        "100 characters": KEY + "A" * 11, "50 emoji": "\U0001F98A" * 50, "an escaped line feed": KEY + "\\n", "null": "null",
    }.items():
        yield Case(f"spelled with {name}", text, "not_a_security_key")
    for name, text in {
        "101 characters": KEY + "A" * 12, "51 emoji": "\U0001F98A" * 51, "itself twice": KEY + KEY,
        "every character percent-encoded": "".join(f"%{byte:02X}" for byte in KEY.encode()), "4096 characters": KEY + "A" * 4007,
    }.items():
        yield Case(f"spelled with {name}", text, "too_long")
    for name, text in {
        "a NUL inside": KEY[:40] + "\0" + KEY[41:], "a NUL and more at the end": KEY + "\0x", "a tab in front": "\t" + KEY,
        "a carriage return and line feed at the end": KEY + "\r\n", "a line feed in the middle": KEY[:45] + "\n" + KEY[45:],
        "an escape character": KEY[:-1] + "\x1b", "a unit separator": KEY[:-1] + "\x1f", "a DEL in the last place": KEY[:-1] + "\x7f",
        "a control character beyond 100": KEY + "A" * 20 + "\n",
    }.items():
        yield Case(f"spelled with {name}", text, "control_character")


def signed_garbage():
    """A right MAC over a head of extremes."""
    yield Case("valid, salt of ones", signed(security_key.head(1, ISSUED, EXPIRES, b"\xff" * 16)), "valid")
    yield Case("valid, salt of zeros", signed(security_key.head(1, ISSUED, EXPIRES, bytes(16))), "valid")
    yield Case("head of ones with a right MAC", signed(b"\xff" * 31), "not_a_security_key")


def all_cases():
    """All of them."""
    groups = (tampered, assembled, miscomputed, key_ids, windows, extreme_times, prefixes, spellings, signed_garbage)
    return [case for group in groups for case in group()]
