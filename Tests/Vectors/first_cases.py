"""The cases that the format was published with: other implementations have them too, so their keys never change."""

import security_key
from fixture import EXPIRES, ISSUED, NOW, PADDED_APP, Case, flipped, secret

GRIN = "\U0001F600"
SALT = "d4e9ab304d4896f9e17fd8f0816496da"
# Made with a secret that was never published.
UNKNOWN = "dgk1.AAAAAAcAaVW5AABpfUYAzLGEczmGpgdlrJPNUqihbRugDMizVxFg4ixcbw-_nDrAyEdiI52zS3HbbvJi9IM_"


def published(salt, app_id="app-1", user_id="user-42", key_id=1, issued_at=ISSUED, expires_at=EXPIRES, flags=0):
    """A key with the salt that it was published with."""
    key_head = security_key.head(key_id, issued_at, expires_at, bytes.fromhex(salt), flags)
    return security_key.text(key_head + security_key.mac(secret(app_id, key_id), key_head, app_id, user_id))


def valid():
    """What is let in."""
    def case(name, salt, now=NOW, app_id="app-1", user_id="user-42", **key):
        return Case(name, published(salt, app_id, user_id, **key), "valid", app_id, user_id, now)

    yield case("valid", SALT)
    yield case("valid, never expires", "087a3ebecc676aaa2c5d8ce1b3c6acbc", now=1_867_225_600, expires_at=0)
    yield case("valid, second key of the app", "5f1670a9821bc72985d7645e7dbb0778", key_id=2)
    yield case("valid, non-ASCII user", "0b4eb4d9fb9d979464a52b2b803afb03", user_id="Пользователь №7")
    yield case("valid, emoji user of 100 UTF-16 units", "c5338aebdc8c3b678358f3d8935a75e8", user_id=GRIN * 50)
    yield case(
        "valid, long app_id and largest key id", "44a88c9bf5ba0162c8dbd2f4e2f0bd83", app_id=PADDED_APP, key_id=4294967295)
    yield case("valid, one second before expiry", "cf2184c78f346df30e7bde5d918d33f0", now=ISSUED + 99, expires_at=ISSUED + 100)
    yield case("valid, inside the skew after expiry", "81697cd05b6a5800898a9fc99c547599", now=ISSUED + 160, expires_at=ISSUED + 100)
    yield case("valid, issued 60 s in the future", "07cd3aa22d8c952edc17cc8dccd9d1ee", issued_at=NOW + 60)
    yield case("valid, user id with delimiters", "4108d7f1ac1215de047303c1c1473f44", user_id='a:b"c\\d/é')


def denied():
    """What is well formed and not let in."""
    key = published(SALT)
    late = published("1ccc9f2f584a112a284187f32ba845a5", expires_at=ISSUED + 100)
    composed = published("00" * 16, user_id="caf\u00e9")
    unexpiring = security_key.head(1, ISSUED, 0, bytes.fromhex(SALT)) + security_key.decode(key[5:])[31:]
    earlier = security_key.head(1, ISSUED - 1, EXPIRES, bytes.fromhex(SALT)) + security_key.decode(key[5:])[31:]
    yield Case("expired", late, "expired", now=ISSUED + 161)
    yield Case(
        "issued too far in the future", published("b64b74b3527f791d064f62576bcb3042", issued_at=NOW + 61), "issued_in_future")
    yield Case("other user", key, "wrong_mac", user_id="user-42x")
    yield Case("other app with the same secret", key, "wrong_mac", app_id="app-2")
    yield Case("unknown app", key, "unknown_app", app_id="app-9")
    yield Case("unknown key id", UNKNOWN, "unknown_key")
    yield Case("key id swapped in the head", flipped(key, 4, 3), "wrong_mac")
    yield Case("expiry cleared in the head", security_key.text(unexpiring), "wrong_mac")
    yield Case("issue time moved", security_key.text(earlier), "wrong_mac")
    yield Case("salt changed", flipped(key, 15, 1), "wrong_mac")
    yield Case("last MAC bit flipped", flipped(key, 62, 1), "wrong_mac")
    yield Case("first MAC bit flipped", flipped(key, 31, 0x80), "wrong_mac")
    yield Case("MAC of zeros", security_key.text(security_key.decode(key[5:])[:31] + bytes(32)), "wrong_mac")
    yield Case("minted for NFC, shown for NFC", composed, "valid", user_id="caf\u00e9")
    yield Case(
        "minted for NFC, shown for NFD", composed, "wrong_mac", user_id="cafe\u0301", note="identifiers are bytes: never normalised")
    yield Case("length fields moved: user eats the app", key, "unknown_app", app_id="app-1u", user_id="ser-42")


def malformed():
    """What breaks the public grammar."""
    key = published(SALT)

    def spelled(name, text, reason="not_a_security_key"):
        return Case(name, text, reason)

    def user(name, salt, user_id, reason):
        return Case(name, published(salt, user_id=user_id), reason, user_id=user_id)

    yield spelled("unknown flags with a right MAC", published("0fbc4c20f736e00c4e12db134feaf04c", flags=1))
    yield spelled("unknown version", "dgk2" + key[4:])
    yield spelled("no version", key[5:])
    yield spelled("upper-case prefix", "DGK1" + key[4:])
    yield spelled("padding appended", key + "=")
    yield spelled("one character short", key[:-1])
    yield spelled("one character long", key + "A")
    yield spelled("standard base64 alphabet", key[:-1] + "/")
    yield spelled("trailing line feed", key + "\n", "control_character")
    yield spelled("leading space", " " + key[:-1])
    yield spelled("hex HMAC", "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881")
    yield spelled("empty key", "", "empty")
    yield user("empty user", "be286a904021028fe0d90997d137f6e6", "", "empty")
    yield Case("empty app", key, "empty", app_id="")
    yield user("user of 101 UTF-16 units", "91752bd3dedef9c7b49f820960335819", "a" * 101, "too_long")
    yield user("user of 51 emoji (102 UTF-16 units)", "3492ace56e97317e1af0aa634b817f04", GRIN * 51, "too_long")
    yield user("user with NUL", "539cdf66e648042833db53cffc90c822", "a\0b", "control_character")
    yield user("user with line feed", "566d3644ac18d661ee8c58eae1d6af88", "a\nb", "control_character")


def all_cases():
    """All of them, in the order that they were published in."""
    return [*valid(), *denied(), *malformed()]
