"""Cases about app ids and user ids: their lengths, their characters, and the ones that look alike."""

from fixture import (
    EXPIRES, FOX, ISSUED, JSON_APP, LONGEST_APP, LONGEST_EMOJI_APP, NEXT_LINE_APP, NFC_APP, NFD_APP, RTL_APP, Case, case_of, flipped, made,
)

KEY = made("the key of most identifier cases")
FAMILY = "\U0001F468\u200d\U0001F469\u200d\U0001F467\u200d\U0001F466"
CONTROLS = {
    "NUL": "\0", "BEL": "\a", "TAB": "\t", "LF": "\n", "VT": "\v", "CR": "\r", "ESC": "\x1b", "US": "\x1f", "DEL": "\x7f",
}


def app_lengths():
    """App ids around 255 UTF-16 units."""
    yield case_of("valid, app of 1 character", "valid", "a")
    yield case_of("valid, app of 255 characters", "valid", LONGEST_APP)
    yield case_of("valid, app whose units 254 and 255 are a surrogate pair", "valid", LONGEST_EMOJI_APP)
    yield case_of("app of 256 characters", "too_long", "b" * 256)
    yield case_of("app whose units 255 and 256 are a surrogate pair", "too_long", "b" * 254 + FOX)
    yield case_of("app of 127 emoji and a letter (255 units)", "unknown_app", FOX * 127 + "b")
    yield case_of("app of 128 emoji (256 units)", "too_long", FOX * 128)
    yield case_of("app of 255 units in 765 bytes", "unknown_app", "\u6f22" * 255)
    yield case_of("app of 256 units in 768 bytes", "too_long", "\u6f22" * 256)
    yield case_of("longest app without its last character", "unknown_app", LONGEST_APP[:-1])


def user_lengths():
    """User ids around 100 UTF-16 units."""
    for name, user_id, reason in (
        ("1 character", "u", "valid"), ("99 characters", "u" * 99, "valid"), ("100 characters", "u" * 100, "valid"),
        ("101 characters", "u" * 101, "too_long"), ("1000 characters", "u" * 1000, "too_long"),
        ("98 characters and an emoji", "u" * 98 + FOX, "valid"), ("99 characters and an emoji", "u" * 99 + FOX, "too_long"),
        ("49 emoji and 2 letters", FOX * 49 + "uv", "valid"), ("50 emoji and a letter", FOX * 50 + "u", "too_long"),
        ("100 units in 200 bytes", "\u044f" * 100, "valid"), ("101 units in 202 bytes", "\u044f" * 101, "too_long"),
        ("100 units in 300 bytes", "\u6f22" * 100, "valid"), ("101 units in 303 bytes", "\u6f22" * 101, "too_long"),
        ("50 accented letters, decomposed", "e\u0301" * 50, "valid"), ("51 accented letters, decomposed", "e\u0301" * 51, "too_long"),
        ("9 families (99 units)", FAMILY * 9, "valid"), ("10 families (110 units)", FAMILY * 10, "too_long"),
        ("one letter under 99 accents", "a" + "\u0301" * 99, "valid"), ("one letter under 100 accents", "a" + "\u0301" * 100, "too_long"),
    ):
        yield case_of(f"user of {name}", reason, user_id=user_id)


def control_characters():
    """Each kind of control character in the identifiers, and what only looks like one."""
    for name, character in CONTROLS.items():
        yield case_of(f"app with {name}", "control_character", "app" + character + "1")
        yield case_of(f"user with {name} at the end", "control_character", user_id="user-42" + character)
    yield case_of("user of a single NUL", "control_character", user_id="\0")
    yield case_of("user that a NUL would end", "control_character", user_id="user-42\0admin")
    yield case_of("user with CR and LF", "control_character", user_id="user-42\r\nX-Admin: 1")
    yield case_of("user too long, with a control character at the end", "control_character", user_id="u" * 200 + "\n")
    yield case_of("valid, app with NEXT LINE", "valid", NEXT_LINE_APP)
    for name, user_id in {
        "a space": "user 42", "a single space": " ", "a no-break space": "user\u00a042", "NEXT LINE": "user\u008542",
        "the last C1 control": "user\u009f42", "a line separator": "user\u202842", "a replacement character": "user\ufffd42",
        "U+FFFF": "user\uffff42", "U+10FFFF": "user\U0010ffff42", "a private-use character": "user\ue00042",
    }.items():
        yield case_of(f"valid, user with {name}", "valid", user_id=user_id)


def alike():
    """Identifiers that somebody would call the same: they are not."""
    for name, other in {
        "in capitals": "USER-42", "with a space after": "user-42 ", "with a space before": " user-42",
        "with a no-break hyphen": "user\u201142",
        "with a byte order mark": "\ufeffuser-42", "with a zero-width joiner": "user-\u200d42", "without its last character": "user-4",
        "in fullwidth digits": "user-\uff14\uff12", "with a Cyrillic e": "us\u0435r-42", "percent-encoded": "user%2D42",
        "with a soft hyphen": "user-\u00ad42", "in quotation marks": '"user-42"', "with a variation selector": "user-42\ufe0f",
    }.items():
        yield Case(f"another user: {name}", KEY, "wrong_mac", user_id=other)
    for name, one, other in (
        ("decomposed, shown composed", "e\u0301", "\u00e9"), ("ligature, shown as letters", "\ufb01", "fi"),
        ("Kelvin sign, shown as K", "\u212a", "K"), ("Angstrom sign, shown as a letter", "\u212b", "\u00c5"),
        ("Hangul syllable, shown as jamo", "\ud55c", "\u1112\u1161\u11ab"), ("sharp s, shown as ss", "\u00df", "ss"),
        ("accents in one order, shown in the other", "a\u0323\u0301", "a\u0301\u0323"), ("dotless i, shown with a dot", "\u0131", "i"),
    ):
        yield Case(name, made(name, user_id=one), "wrong_mac", user_id=other)
        yield case_of(f"valid, {name.split(',', maxsplit=1)[0]}", "valid", user_id=one)


def apps_alike():
    """Apps that differ by case, a space, normalisation or an end, configured side by side."""
    for name, one, other in (
        ("by case", "App-1", "app-1"), ("by a space", "app-1 ", "app-1"), ("by normalisation", NFC_APP, NFD_APP),
        ("by an end", "app-10", "app-1"), ("by a shorter end", "app", "app-1"),
    ):
        key = made(name, one)
        yield Case(f"valid, apps that differ {name}", key, "valid", one)
        yield Case(f"other app, differing {name}", key, "wrong_mac", other)
        yield Case(f"other app, differing {name}, the other way", made(name, other), "wrong_mac", one)
    for name, app_id in {
        "in capitals": "APP-1", "with a space before": " app-1", "with a zero-width space": "app-1\u200b",
        "with a Cyrillic a": "\u0430pp-1",
        "in fullwidth letters": "\uff41\uff50\uff50-1", "with a full stop": "app-1.", "of a single space": " ",
        "that sorts first": "!", "that sorts last": "\U0010ffff",
    }.items():
        yield Case(f"unknown app {name}", made(name, app_id), "unknown_app", app_id)
    yield Case("a part moved from user to app, one secret", made("split", "split-a", "bc"), "wrong_mac", "split-ab", "c")
    yield Case("a part moved from app to user, one secret", made("split", "split-ab", "c"), "wrong_mac", "split-a", "bc")
    yield case_of("valid, app that shares a secret", "valid", "split-ab", "c")


def foreign_texts():
    """Identifiers that are code, markup or another script: only bytes here."""
    yield case_of("valid, app in a script from right to left", "valid", RTL_APP)
    yield case_of("valid, app that looks like JSON", "valid", JSON_APP)
    for name, user_id in {
        "JSON": '{"user_id":"admin","ok":[true,null]}', "SQL": "'; DROP TABLE users; --", "HTML": "<script>alert(\"&amp;\")</script>",
        "a path": "../../etc/passwd", "a form": "user-42&user_id=admin&app_id=app-2",
        "an escape": "%00%0A+%2B", "a template": "${7*7}{{7*7}}%s%n",
        "a backslash escape": "\\u0000\\n\\",
        "a number": "42", "a negative number": "-1", "a float": "1e3", "null": "null", "true": "true",
        "an e-mail address": "user+tag@example.com", "a UUID": "6f1c1f0e-5b0a-4a51-9d2c-3c5f0b8f2a77", "quotation marks": "\"'`",
        "plus signs": "+ + +", "Arabic": "\u0645\u0633\u062a\u062e\u062f\u0645",
        "Hebrew with points": "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
        "a right-to-left override": "user\u202e24-", "isolates": "\u2067user\u2069-42",
        "a flag": "\U0001F1E8\U0001F1ED",
        "a skin tone": "\U0001F44D\U0001F3FD", "a keycap": "4\ufe0f\u20e3", "stacked accents": "z\u0335\u0321\u031b\u0489",
        "a lone accent": "\u0301",
        "Thai": "\u0e1c\u0e39\u0e49\u0e43\u0e0a\u0e49", "Devanagari": "\u0915\u094d\u0937\u093f",
        "an ideograph beyond the BMP": "\U00020000",
    }.items():
        yield case_of(f"valid, user that looks like {name}", "valid", user_id=user_id)


def precedence():
    """More than one thing wrong: the app is looked at first, then the user, then the key, and grammar before anything else."""
    yield Case("everything empty", "", "empty", "", "")
    yield Case("app too long, user empty", KEY, "too_long", "b" * 256, "")
    yield Case("app with a control character, user too long", KEY, "control_character", "\x01", "u" * 101)
    yield Case("user with a control character, key empty", "", "control_character", user_id="\x02")
    yield Case("user too long, key not a key", "x", "too_long", user_id="u" * 101)
    yield Case("unknown app, key not a key", "x", "not_a_security_key", "app-9")
    yield Case("unknown app, user empty", KEY, "empty", "app-9", "")
    yield case_of("unknown app, expired", "unknown_app", "app-9", expires_at=ISSUED, now=EXPIRES)
    yield case_of("unknown app, unknown key id", "unknown_app", "app-9", key_id=77)
    yield Case("unknown app, forged", flipped(KEY, 62, 1), "unknown_app", "app-9")
    yield Case("app and user exchanged", made("exchanged"), "unknown_app", "user-42", "app-1")
    yield Case("key shown as the user, user as the key", "user-42", "not_a_security_key", user_id=KEY)
    yield Case("valid, user that is a key", made("user is a key", user_id=KEY), "valid", user_id=KEY)


def all_cases():
    """All of them."""
    groups = (app_lengths, user_lengths, control_characters, alike, apps_alike, foreign_texts, precedence)
    return [case for group in groups for case in group()]
