"""What a minter is asked for, with the key that it must make, or the reason for which it must refuse."""

import security_key
from fixture import APPS, FOX, ISSUED, LONGEST_APP, LONGEST_EMOJI_APP, NFC_APP, NFD_APP, PADDED_APP, derived

SPELLED = {(app["app_id"], key["id"]): key["secret_base64url"] for app in APPS for key in app["keys"]}
MONTH = 30 * 24 * 3600
LATEST = security_key.LATEST_TIME
NOTE = (
    "What a minter is asked for. minted: with this time and salt (hexadecimal) there is one right key. refused: the reason that the files in "
    "clients/ give. own: for minters that choose the time and the salt themselves; Scripts/check-minted checks what they made. "
    "The secrets are test data, known to everyone: never use one. Written by generate.py, not by hand."
)


def request(name, app_id="app-1", user_id="user-42", key_id=1, secret=None, lifetime=MONTH):
    """What a minter is asked for, without time and salt."""
    secret = SPELLED[app_id, key_id] if secret is None else secret
    return {"name": name, "app_id": app_id, "user_id": user_id, "key_id": key_id, "secret": secret, "lifetime": lifetime}


def fixed(name, now=ISSUED, salt=None, **changed):
    """A request with time and salt."""
    salt = derived("salt of " + name, 16).hex() if salt is None else salt
    return {**request(name, **changed), "now": now, "salt": salt}


def minted():
    """Requests with their keys."""
    documented = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    for case in [
        fixed("the vector of docs/SECURITY-KEY.md", app_id="my-app", user_id="user-1", secret=documented, salt=bytes(range(32, 48)).hex()),
        fixed("a month"),
        fixed("a key that never expires", lifetime=0),
        fixed("one second", lifetime=1),
        fixed("the second key of an app", key_id=2),
        fixed("key id 0", app_id="edge-keys", key_id=0),
        fixed("key id 2147483648", app_id="edge-keys", key_id=2147483648),
        fixed("key id 4294967295", app_id="edge-keys", key_id=4294967295),
        fixed("an app id with padding", app_id=PADDED_APP, key_id=4294967295),
        fixed("the longest app id", app_id=LONGEST_APP),
        fixed("the longest app id, with an emoji", app_id=LONGEST_EMOJI_APP),
        fixed("an app id, composed", app_id=NFC_APP),
        fixed("an app id, decomposed", app_id=NFD_APP),
        fixed("a user in Cyrillic", user_id="Пользователь №7"),
        fixed("a user of 50 emoji", user_id=FOX * 50),
        fixed("a user of 100 letters", user_id="a" * 100),
        fixed("a user of one letter under 99 accents", user_id="a" + "\u0301" * 99),
        fixed("a user with delimiters", user_id='a:b"c\\d/é'),
        fixed("a user of a space", user_id=" "),
        fixed("a user with NEXT LINE", user_id="user\u0085"),
        fixed("a user with U+FFFF and U+10FFFF", user_id="\uffff\U0010ffff"),
        fixed("a user that looks like a number", user_id="42"),
        fixed("a secret with the line feed of its file", secret=SPELLED["app-1", 1] + "\n"),
        fixed("a secret between spaces and a carriage return", secret=" " + SPELLED["app-1", 1] + " \r\n"),
        fixed("at time 0", now=0, lifetime=1),
        fixed("across 31 bits", now=2**31 - 1, lifetime=1),
        fixed("across 32 bits", now=2**32 - 1, lifetime=1),
        fixed("at the latest time", now=LATEST, lifetime=0),
        fixed("until the latest time", now=LATEST - MONTH),
        fixed("a salt of zeros", salt="00" * 16),
        fixed("a salt of ones", salt="ff" * 16),
    ]:
        head = security_key.head(
            case["key_id"], case["now"], case["now"] + case["lifetime"] if case["lifetime"] else 0, bytes.fromhex(case["salt"]))
        code = security_key.mac(security_key.decode(case["secret"].strip()), head, case["app_id"], case["user_id"])
        yield {**case, "security_key": security_key.text(head + code)}


def refused():
    """Requests that no minter may fulfil, with the reason."""
    secret = SPELLED["app-1", 1]

    def case(reason, name, **changed):
        return {**fixed(name, secret=secret, **changed), "reason": reason}

    def bad_secret(name, text):
        return {**fixed("a secret " + name, secret=text), "reason": "bad_secret"}

    yield case("empty", "an empty app", app_id="")
    yield case("empty", "an empty user", user_id="")
    yield case("too_long", "an app of 256 letters", app_id="b" * 256)
    yield case("too_long", "a user of 101 letters", user_id="a" * 101)
    yield case("too_long", "a user of 51 emoji", user_id=FOX * 51)
    yield case("too_long", "a user of one letter under 100 accents", user_id="a" + "\u0301" * 100)
    yield case("control_character", "an app with a tab", app_id="app\t1")
    yield case("control_character", "a user with a line feed at the end", user_id="user-42\n")
    yield case("control_character", "a user with CR and LF", user_id="user\r\n42")
    yield case("control_character", "a user with NUL", user_id="a\0b")
    yield case("control_character", "a user with DEL", user_id="a\x7f")
    yield bad_secret("of no character", "")
    yield bad_secret("of 42 characters", secret[:-1])
    yield bad_secret("of 44 characters", secret + "A")
    yield bad_secret("with padding", secret + "=")
    yield bad_secret("in hexadecimal", security_key.decode(secret).hex())
    yield bad_secret("in standard base64", "+/" + secret[2:])
    yield bad_secret("with a space inside", secret[:20] + " " + secret[21:])
    yield bad_secret("with a line feed inside", secret[:20] + "\n" + secret[20:])
    yield bad_secret("that signs events", "whsec_" + secret + "=")
    yield case("bad_argument", "key id 4294967296", key_id=2**32)
    yield case("bad_argument", "key id -1", key_id=-1)
    yield case("bad_argument", "a life that ends before it begins", lifetime=-1)
    yield case("bad_argument", "a time before 1970", now=-1)
    yield case("bad_argument", "an end past the latest time", now=LATEST, lifetime=1)
    yield case("bad_argument", "a time past the latest time", now=LATEST + 1, lifetime=0)
    yield case("bad_argument", "a salt of 15 bytes", salt="00" * 15)
    yield case("bad_argument", "a salt of 17 bytes", salt="00" * 17)
    yield case("bad_argument", "no salt", salt="")


def own():
    """Requests for minters that choose time and salt themselves. The first two are the same, so their keys must differ."""
    yield request("a month")
    yield request("the same again")
    yield request("a key that never expires", lifetime=0)
    yield request("half an hour", lifetime=1800)
    yield request("the second key of an app", key_id=2)
    yield request("an app id with padding and the largest key id", app_id=PADDED_APP, key_id=4294967295)
    yield request("a user in Cyrillic", user_id="Пользователь №7")
    yield request("a user of 50 emoji", user_id=FOX * 50)
    yield request("a user, decomposed", user_id="cafe\u0301")
    yield request("a user with delimiters", user_id='a:b"c\\d/é')


def contents():
    """What the file holds."""
    return {"note": NOTE, "minted": list(minted()), "refused": list(refused()), "own": list(own())}
