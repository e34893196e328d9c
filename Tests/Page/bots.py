"""What the page shows of calls of bots' functions, which are written into the store as the service writes them."""
import base64
import contextlib
import os
import sqlite3
import time

from playwright.sync_api import expect

from browser import Operator
from service import APP, CYRILLIC_USER, EVIL, EVIL_USER
from waiting import PATIENCE_SECONDS

COUNT = 130
OUTCOMES = [
    ("succeeded", 200, None), ("refused", 404, None), ("failed", 502, "server_error"), ("timed_out", None, "timeout"), ("limited", None, "limit_per_user"),
    ("denied", None, "revoked"), ("confirmation_required", None, "confirmation_user"), ("unknown", None, "interrupted"), ("started", None, None),
]


def configure(service):
    """Adds a bot to the configuration; call it before the start."""
    service.config["bots"] = [{
        "name": "bot-0", "apps": [APP], "public_url": "https://chat.example.com", "secret": "whsec_" + base64.b64encode(os.urandom(32)).decode(),
        "system_message": "You help.", "functions": [{
            "name": "function_0", "description": "Lists orders",
            "parameters": {"type": "object", "properties": {"customer_id": {"type": "string"}}}, "bind": {"customer_id": "user_id"},
            "request": {"method": "GET", "url": "https://shop.example.com/orders"}}]}]


def seed(service):
    """Calls of all outcomes; every name that a stranger chooses is hostile somewhere."""
    now = int(time.time() * 1000)
    users = ["user-1", "user-2", EVIL_USER, CYRILLIC_USER]
    with contextlib.closing(sqlite3.connect(service.directory / "deskgate.db", timeout=PATIENCE_SECONDS)) as store, store:
        store.execute("INSERT OR IGNORE INTO apps (app_id) VALUES (?)", [APP])
        (app,) = store.execute("SELECT number FROM apps WHERE app_id = ?", [APP]).fetchone()
        for number in range(COUNT):
            at = now - 60_000 * (COUNT - number)
            outcome, status, reason = OUTCOMES[number % len(OUTCOMES)]
            ident = (at << 80 | 7 << 76 | 2 << 62 | number).to_bytes(16, "big")
            function = EVIL[:60] if number == 5 else f"function_{number % 3}"
            arguments = '{"order_id":"' + EVIL[:40].replace('"', "'") + '"}' if number % 2 else None
            store.execute(
                "INSERT INTO bot_calls (id, app, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [ident, app, users[number % len(users)], f"bot-{number % 2}", function, os.urandom(32).hex(), arguments, outcome, status, reason, at,
                 None if outcome == "started" else at + 250])


def shows_calls_of_bots(browser, service):
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in(address="#/bots")
        operator.settle()
        rows = page.locator("tbody tr")
        expect(rows).to_have_count(100)
        page.get_by_role("button", name="More").click()
        expect(rows).to_have_count(COUNT)
        page.get_by_label("Outcome").select_option("failed")
        page.get_by_role("button", name="Show", exact=True).click()
        expect(page.locator(".badge").filter(has_text="failed").first).to_be_visible()
        expect(rows).to_have_count(sum(OUTCOMES[number % len(OUTCOMES)][0] == "failed" for number in range(COUNT)))
        expect(rows.first).to_contain_text("gave no usable answer (server_error: it answered with a status of 5xx)")
        expect(rows.first).to_contain_text("What to do")
        assert "outcome=failed" in page.url, page.url
        operator.check("bots-failed")
        rows.first.get_by_role("link").first.click()
        expect(page.locator("#content h1")).to_have_text("Call of a bot’s function")
        expect(page.locator(".facts")).to_contain_text("502")
        operator.check("bots-call")
        operator.show("#/bots?bot=nobody")
        expect(page.locator(".empty")).to_contain_text("No call matches.")
        operator.allowed = ["status of 404"]
        operator.show("#/bots?call_id=0199f3a2-7d51-7c44-9b1e-5f2a8c0d4e61")
        expect(page.locator(".trouble")).to_contain_text("No call has this id.")


def leads_from_a_person_to_calls_of_bots(browser, service):
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in(address="#/people?app_id=shop&user_id=user-2")
        operator.settle()
        page.get_by_role("link", name="Calls of bots").click()
        expect(page.locator("#content h1")).to_have_text("Bots")
        operator.settle()
        people = set(page.locator("tbody tr td:last-child").all_inner_texts())
        assert people == {"user-2"}, people
        operator.show("#/find?user_id=user-2&app_id=shop")
        step = page.locator(".timeline .step").filter(has_text="The bot bot-1 called").first
        expect(step).to_be_visible()
        step.locator(".step-references a").click()
        expect(page.locator("#content h1")).to_have_text("Call of a bot’s function")


SCENES = [shows_calls_of_bots, leads_from_a_person_to_calls_of_bots]
