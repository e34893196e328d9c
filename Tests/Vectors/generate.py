#!/usr/bin/env python3
"""Writes security-key.json beside this file; with --check, only tells whether it is what would be written.

Nothing here is random: secrets and salts come from SHA-256 of labels, so a rerun gives the same bytes.
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True

import first_cases
import identifier_cases
import key_cases
import security_key
from fixture import APPS, NOTE, POLICY, SECRETS

PATH = pathlib.Path(__file__).with_name("security-key.json")


def vector(case):
    """A case as it stands in the file; a case whose stated reason is not what the rules give is a mistake and stops everything."""
    arguments = (case.app_id, case.user_id, case.security_key, case.now)
    reason = security_key.decide(POLICY, SECRETS, *arguments)
    if reason != case.reason:
        raise SystemExit(f"{case.name}: stated {case.reason}, but the rules say {reason}")
    fields = dict(zip(("app_id", "user_id", "security_key", "now"), arguments))
    result = {"name": case.name, **fields, "expect": security_key.status(reason), "reason": reason}
    return {**result, "note": case.note} if case.note else result


def contents():
    """The file's text: ASCII, so that no editor or review hides or joins a character."""
    vectors = [vector(case) for case in [*first_cases.all_cases(), *key_cases.all_cases(), *identifier_cases.all_cases()]]
    names = [entry["name"] for entry in vectors]
    if len(set(names)) != len(names):
        raise SystemExit("names must differ: " + ", ".join(sorted({name for name in names if names.count(name) > 1})))
    return json.dumps({"note": NOTE, **POLICY, "apps": APPS, "vectors": vectors}, indent=1) + "\n"


def main(arguments):
    """Writes or checks the file."""
    if arguments == ["--check"]:
        current = PATH.read_bytes() if PATH.exists() else b""
        return 0 if current == contents().encode("ascii") else f"{PATH.name} is not what generate.py writes"
    if arguments:
        return "usage: generate.py [--check]"
    PATH.write_bytes(contents().encode("ascii"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
