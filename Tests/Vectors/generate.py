#!/usr/bin/env python3
"""Writes the vectors beside this file; with --check, only tells whether they are what would be written.

Nothing here is random: secrets and salts come from SHA-256 of labels, so a rerun gives the same bytes.
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True

import event_cases
import first_cases
import identifier_cases
import key_cases
import minting_cases
import security_key
from fixture import APPS, NOTE, POLICY, SECRETS

DIRECTORY = pathlib.Path(__file__).parent


def vector(case):
    """A case as it stands in the file; a case whose stated reason is not what the rules give is a mistake and stops everything."""
    arguments = (case.app_id, case.user_id, case.security_key, case.now)
    reason = security_key.decide(POLICY, SECRETS, *arguments)
    if reason != case.reason:
        raise SystemExit(f"{case.name}: stated {case.reason}, but the rules say {reason}")
    fields = dict(zip(("app_id", "user_id", "security_key", "now"), arguments))
    result = {"name": case.name, **fields, "expect": security_key.status(reason), "reason": reason}
    return {**result, "note": case.note} if case.note else result


def security_keys():
    """What security-key.json holds."""
    vectors = [vector(case) for case in [*first_cases.all_cases(), *key_cases.all_cases(), *identifier_cases.all_cases()]]
    return {"note": NOTE, **POLICY, "apps": APPS, "vectors": vectors}


def files():
    """The text of each file by its path: ASCII, so that no editor or review hides or joins a character."""
    contents = {"security-key": security_keys(), "minting": minting_cases.contents(), "events": event_cases.contents()}
    for content in contents.values():
        for entries in (part for part in content.values() if isinstance(part, list) and "name" in part[0]):
            names = [entry["name"] for entry in entries]
            if len(set(names)) != len(names):
                raise SystemExit("names must differ: " + ", ".join(sorted({name for name in names if names.count(name) > 1})))
    return {DIRECTORY / f"{name}.json": json.dumps(content, indent=1) + "\n" for name, content in contents.items()}


def main(arguments):
    """Writes or checks the files."""
    if arguments not in ([], ["--check"]):
        return "usage: generate.py [--check]"
    for path, text in files().items():
        if not arguments:
            path.write_text(text, encoding="ascii")
        elif not path.exists() or path.read_bytes() != text.encode("ascii"):
            return f"{path.name} is not what generate.py writes"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
