"""Tests the operators' page in a real browser against a real service; Scripts/test-page runs it.

Screenshots of every view in light, dark and phone width are kept in .build/page-screenshots.
"""
import contextlib
import json
import re
import sys
import tempfile
import urllib.parse

from playwright.sync_api import expect, sync_playwright

import bots
import demo
import faults
import newcomers
import remedies
import service as seeded
import tabs
import wording
from browser import LOOKS, Operator, SCREENSHOTS

CHROMIUM = "/usr/bin/chromium"
VIEWS = ["now", "notifiers", "dead", "people", "tickets", "sessions", "bots", "keys", "store", "configuration"]
# How often the charts ask, and when a view whose service is away asks again.
STEP_MILLISECONDS, AGAIN_MILLISECONDS = 3000, 5000


def signs_in_and_refuses(browser, service):
    with Operator(browser, service) as operator:
        operator.allowed = ["status of 401", "status of 403"]
        page = operator.page
        operator.open("#/keys")
        expect(page.locator("input[type=password]")).to_be_focused()
        operator.check("entrance")
        for token, text in [("x" * 43, "no admin token"), (service.tokens["mint"], "mints keys")]:
            page.locator("input[type=password]").fill(token)
            page.get_by_role("button", name="Sign in").click()
            expect(page.locator("#entrance-error")).to_contain_text(text)
            expect(page.locator("#shell")).to_be_hidden()
        operator.check("entrance-refused")
        page.locator("input[type=password]").fill(service.tokens["read"])
        page.keyboard.press("Enter")
        # The address that was asked for is shown.
        expect(page.locator("#content h1")).to_have_text("Keys")
        assert operator.context.cookies()[0]["httpOnly"] and operator.context.cookies()[0]["sameSite"] == "Strict"
        assert page.evaluate("() => document.cookie + localStorage.length") == "0"
        page.reload()
        expect(page.locator("#content h1")).to_have_text("Keys")
        page.locator("#sign-out").click()
        expect(page.locator("input[type=password]")).to_be_visible()
        assert page.evaluate("() => sessionStorage.length") == 0
        assert page.locator("input[type=password]").input_value() == ""
        assert page.locator("#content").inner_text() == ""


def await_looks(operator, count):
    """Waits until the charts have asked so many times more."""
    wanted = operator.asked("/metrics") + count
    operator.wait_until(lambda: operator.asked("/metrics") >= wanted, "is asked for by the charts")


def shows_every_view(browser, service):
    for look in LOOKS:
        with Operator(browser, service, look) as operator:
            operator.sign_in()
            for view in VIEWS:
                operator.show(f"#/{view}")
                expect(operator.page.locator("nav [aria-current=page]")).to_have_count(1)
                if view == "now":
                    # A rate needs a look before the traffic and one after it.
                    await_looks(operator, 1)
                    service.traffic(service.good_key)
                    await_looks(operator, 2)
                    expect(operator.page.locator(".chart path")).not_to_have_count(0)
                    # Of eight calls one is denied and one malformed.
                    expect(operator.page.locator(".tile").first).to_contain_text("25 % were not answered 200")
                operator.check(f"{look}-{view}")
                for link in [link.get_attribute("href") for link in operator.page.locator("a.json").all()]:
                    operator.show(link)
                    answer = operator.page.locator("pre")
                    expect(answer).not_to_be_empty()
                    assert "%2Fmetrics" in link or json.loads(answer.text_content()), link
            operator.check(f"{look}-json")


def speaks_russian(browser, service):
    with Operator(browser, service, locale="ru-RU") as operator:
        operator.sign_in()
        assert operator.page.locator("html").get_attribute("lang") == "ru"
        for view in VIEWS:
            operator.show(f"#/{view}")
            operator.check(f"russian-{view}")
        operator.page.locator("#language").select_option("en")
        expect(operator.page.locator("#content h1")).to_have_text("Configuration")
        operator.page.locator("#language").select_option("ru")
        expect(operator.page.locator("#content h1")).to_have_text("Настройки")


def has_both_languages_whole(browser, service):
    with Operator(browser, service) as operator:
        operator.open()
        missing = operator.page.evaluate("""async () => {
            const [{ en }, { ru }] = await Promise.all([import("/page/words-en.js"), import("/page/words-ru.js")]);
            const names = (text) => [...JSON.stringify(text).matchAll(/\\{(\\w+)\\}/g)].map((match) => match[1]).filter((name, index, all) => all.indexOf(name) === index).sort().join();
            return [...Object.keys(en).filter((key) => !(key in ru)), ...Object.keys(ru).filter((key) => !(key in en) && !key.startsWith("refusal.")), ...Object.keys(en).filter((key) => key in ru && names(en[key]) !== names(ru[key]))];
        }""")
        assert missing == [], missing


def leads_from_the_search_to_a_timeline(browser, service):
    delivery = service.ask("GET", "/v1/deliveries?state=dead&limit=1")[1]["deliveries"][0]
    with Operator(browser, service) as operator:
        operator.sign_in()
        for text, kind, heading in [
            ("user-1", "auto", "User user-1"), ("9007199254740993", "auto", "Comment 9007199254740993"), ("4003", "auto", "Ticket 4003"),
            ("phone-1", "auto", "Device phone-1"), (delivery["id"], "auto", f"Delivery {delivery['id']}"), (seeded.LONG_USER, "user", f"User {seeded.LONG_USER}"),
            (seeded.EVIL_USER, "auto", f"User {seeded.EVIL_USER}"), (seeded.CYRILLIC_USER, "auto", f"User {seeded.CYRILLIC_USER}"),
            (seeded.RIGHT_TO_LEFT_USER, "auto", f"User {seeded.RIGHT_TO_LEFT_USER}"),
        ]:
            operator.search(text, kind)
            expect(operator.page.locator("#content h1")).to_have_text(heading)
            expect(operator.page.locator(".timeline .step")).not_to_have_count(0)
            name = re.sub("[^a-z0-9]+", "-", heading.lower()).strip("-")[:40]
            operator.check(f"find-{name if name != 'user' else 'user-right-to-left'}")
        # The address alone leads a colleague there.
        operator.open("#/find?q=user-2")
        expect(operator.page.locator("#content h1")).to_have_text("User user-2")
        operator.settle()
        operator.search("surely-nobody")
        expect(operator.page.locator(".empty")).to_contain_text("Nothing is stored")
        operator.check("find-nothing")


def says_in_which_app_a_user_is_blocked(browser, service):
    user = "user-of-two-apps"
    service.register(user, "phone-of-two-apps")
    person = {"app_id": seeded.MARKET, "user_id": user}
    assert service.ask("POST", "/v1/users/block", person)[0] == 200
    with Operator(browser, service) as operator:
        operator.sign_in()
        operator.search(user)
        hits = operator.page.locator(".hits li")
        expect(hits).to_have_count(2)
        expect(hits.filter(has_text=seeded.MARKET)).to_contain_text("blocked")
        expect(hits.filter(has_text=seeded.APP)).to_contain_text("has a device")
        assert sum("/v1/find" in request.url for request in operator.requests) == 1
        operator.check("find-blocked")
        operator.show(f"#/people?app_id={seeded.MARKET}")
        revoked = operator.page.locator("tr").filter(has_text=user)
        expect(revoked).to_have_count(1)
        expect(revoked).to_contain_text(seeded.MARKET)
    assert service.ask("POST", "/v1/users/unblock", person)[0] == 200


def keeps_a_security_key_out_of_addresses(browser, service):
    key = service.key("user-1")
    with Operator(browser, service) as operator:
        operator.sign_in()
        places = []
        operator.page.on("framenavigated", lambda frame: places.append(frame.url))
        operator.search(key)
        assert places and not any(key in place for place in places), places
        assert operator.page.locator("input[type=search]").input_value() == ""
        asked = [request for request in operator.requests if key in urllib.parse.unquote(request.url)]
        assert all(("/v1/explain" in request.url or "/v1/find" in request.url) and request.resource_type == "fetch" for request in asked), [request.url for request in asked]
        operator.show("#/keys")
        with operator.next_view():
            operator.page.go_back()
        assert key not in operator.page.url
        # Nor does a key get there that is cut off.
        operator.search(key[:60])
        assert not any(key[:60] in place for place in places), places


def tries_dead_letters_again(browser, service):
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in(address="#/dead")
        service.receiver.answers["/refuses"] = 200
        # Another operator is faster.
        count = service.groups()[("crm", "purged")]
        page.get_by_role("button", name="Retry all of crm, purged").click()
        dialog = page.locator("dialog")
        expect(dialog).to_contain_text(f"Retry {count} deliveries?")
        operator.check("retry-asks")
        assert service.ask("POST", "/v1/deliveries/retry", {"notifier": "crm"})[1]["retried"] == count
        dialog.get_by_role("button", name=f"Retry {count}").click()
        expect(page.locator(".notice").first).to_contain_text(f"0 of {count} are tried again. {count} are dead no more")
        assert ("crm", "purged") not in service.groups()
        reason, count = next((reason, number) for (notifier, reason), number in service.groups().items() if notifier == "fcm")
        page.get_by_role("button", name=f"Retry all of fcm, {reason}").click()
        dialog.get_by_role("button", name=f"Retry {count}").click()
        # user-4 was signed out, so that no device is left for these deliveries.
        text = rf"\d+ of {count} are tried again\. \d+ stay dead: their devices are not registered\."
        expect(page.locator(".notice").first).to_contain_text(re.compile(text))
        operator.check("retry-done")


def tells_how_far_a_retry_is(browser, service):
    """The service's answers are made up: a set that takes several requests would take long to make."""
    with Operator(browser, service) as operator:
        page, steps = operator.page, []
        kept = {"notifier_queue_full": 0, "queue_full": 0, "forgotten": 0, "no_device": 0}
        group = {"notifier": "fcm", "reason": "expired", "count": 2500, "oldest": "2026-03-10T08:15:12Z", "newest": "2026-03-10T08:15:12Z", "meaning": "It expired.", "remedy": None}
        page.route(re.compile("/v1/deliveries/reasons"), lambda route: route.fulfill(json={"groups": [group], "counted": 2500, "complete": True, "set": "7-2500-2500"}))
        page.route(re.compile("/v1/deliveries/retry"), lambda route: steps.append(route))
        operator.sign_in(address="#/dead")
        page.get_by_role("button", name="Retry all of fcm, expired").click()
        dialog = page.locator("dialog")
        dialog.get_by_role("button", name="Retry 2500").click()
        operator.wait_until(lambda: len(steps) == 1, "asks for the first step")
        assert steps[0].request.post_data_json == {"notifier": "fcm", "reason": "expired", "after": "7-2500-2500"}
        steps[0].fulfill(json={"retried": 1000, "kept": kept, "total": 2500, "left": 1500, "next": "7-2500-1500-9-0"})
        expect(dialog).to_contain_text("1,000 of 2,500 are tried again, and 1,500 are left.")
        operator.check("retry-progress")
        operator.wait_until(lambda: len(steps) == 2, "asks for the second step")
        assert steps[1].request.post_data_json["after"] == "7-2500-1500-9-0"
        steps[1].fulfill(json={"retried": 600, "kept": kept | {"notifier_queue_full": 400}, "total": 2500, "left": 500, "next": "7-2500-500-8-0"})
        operator.wait_until(lambda: len(steps) == 3, "asks for the third step")
        # Closed before the set has ended.
        dialog.get_by_role("button", name="Cancel").click()
        steps[2].fulfill(json={"retried": 100, "kept": kept | {"forgotten": 1}, "total": 2500, "left": 399, "next": "7-2500-399-7-0"})
        notice = page.locator(".notice").first
        expect(notice).to_contain_text("1,700 of 2,500 are tried again. 400 stay dead: the queue has no room.")
        expect(notice).to_contain_text("1 stays dead: its user was forgotten. 399 were left.")
        assert len(steps) == 3


def tries_one_again(browser, service):
    def dead(notifier):
        return service.ask("GET", f"/v1/deliveries?state=dead&notifier={notifier}&limit=1")[1]["deliveries"][0]

    service.wait_for(lambda: any(notifier == "fcm" for notifier, _ in service.groups()), "is refused by FCM again")
    delivery = dead("fcm")

    def ended_at():
        return service.ask("GET", f"/v1/deliveries/{delivery['id']}")[1]["ended_at"]

    before = ended_at()
    with Operator(browser, service) as operator:
        operator.sign_in(address=f"#/find?delivery_id={delivery['id']}")
        operator.page.get_by_role("button", name="Retry", exact=True).click()
        operator.check("find-retry")
        operator.page.locator("dialog").get_by_role("button", name="Retry 1").click()
        expect(operator.page.locator("dialog")).to_have_count(0)
        # FCM refuses it again.
        service.wait_for(lambda: ended_at() not in (None, before), "is retried")
        # It would end without an attempt, and could not be retried when its device comes back.
        operator.allowed = ["status of 409"]
        operator.show(f"#/find?delivery_id={dead('apns')['id']}")
        operator.page.get_by_role("button", name="Retry", exact=True).click()
        operator.page.locator("dialog").get_by_role("button", name="Retry 1").click()
        expect(operator.page.locator("dialog")).to_contain_text("its device is not registered")


def a_reader_changes_nothing(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in("read", "#/dead")
        operator.settle()
        expect(operator.page.get_by_role("button", name=re.compile("Retry"))).to_have_count(0)
        operator.show("#/people?app_id=shop&user_id=user-5")
        expect(operator.page.locator(".notice")).to_contain_text("may read")
        expect(operator.page.get_by_role("button", name="Block")).to_have_count(0)


def signs_a_person_out(browser, service):
    key = service.key("user-90")
    service.register("user-90", "phone-90", "ios")
    assert service.authorize("user-90", key) == 200
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in(address="#/people?app_id=shop&user_id=user-90")
        operator.settle()
        page.locator(".actions").get_by_role("button", name="Sign out").click()
        page.get_by_label("Reason").fill(seeded.EVIL)
        operator.check("people-sign-out")
        page.locator("dialog").get_by_role("button", name="Sign out").click()
        expect(page.locator(".notice").first).to_contain_text("Signed out; ")
        assert service.authorize("user-90", key) == 403
        operator.settle()
        expect(page.locator("td").filter(has_text="onerror")).to_have_count(1)
        page.locator(".actions").get_by_role("button", name="Forget").click()
        go = page.locator("dialog").get_by_role("button", name="Forget")
        expect(go).to_be_disabled()
        page.locator("dialog input[name=again]").fill("user-90")
        expect(go).to_be_enabled()
        operator.check("people-forget")
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)


def lists_tickets_and_ratings(browser, service):
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in(address="#/tickets")
        operator.settle()
        rows = page.locator(".view > div:last-child tbody tr")
        expect(rows).to_have_count(10)
        # A page may bring less than it may hold, because what is asked for is merged of several lists.
        page.get_by_role("button", name="Show more").click()
        expect(page.locator(".more").last).to_contain_text(f"{seeded.TICKET_COUNT} rows")
        expect(page.locator(".card").filter(has_text="By state")).to_contain_text(re.compile(rf"Open\s*{seeded.TICKET_COUNT}"))
        ratings = page.locator(".card").filter(has_text="Ratings")
        expect(ratings).to_contain_text(re.compile(r"On average\s*4"))
        expect(ratings).to_contain_text(re.compile(r"4 of 5\s*1"))
        expect(ratings.locator("tbody tr")).to_have_count(1)
        assert seeded.RATING_TEXT not in operator.text()
        with operator.next_view():
            ratings.get_by_role("link", name=service.tickets[0]["channel"]).click()
        expect(page.locator(".view .card")).to_contain_text("Closed")
        expect(page.locator(".timeline")).to_contain_text("ticket.rated")
        operator.check("ticket-rated")
        operator.show("#/tickets?state=open&custom_field=order%3D7")
        expect(page.locator(".view > div:last-child tbody tr")).to_have_count(2)
        operator.show("#/tickets?state=closed&user_id=customer-2")
        expect(page.locator(".view > div:last-child .empty")).to_contain_text("No tickets.")
        assert seeded.EVIL not in page.content()


def closes_and_reopens_a_ticket(browser, service):
    ticket = service.tickets[1]["ticket_id"]
    with Operator(browser, service) as operator, Operator(browser, service) as other:
        page = operator.page
        for one in (operator, other):
            one.allowed = ["status of 409"]
            one.sign_in(address=f"#/tickets?app_id=market&ticket_id={ticket}")
            one.settle()
        page.get_by_role("button", name="Close", exact=True).click()
        page.get_by_label("Comment").fill("answered")
        operator.check("ticket-close")
        page.locator("dialog").get_by_role("button", name="Close").click()
        expect(page.locator(".notice").first).to_have_text("The ticket was closed.")
        assert service.ask("GET", f"/v1/tickets/show?app_id=market&ticket_id={ticket}")[1]["state"] == "CLOSED"
        # Whoever is later is told.
        other.page.get_by_role("button", name="Close", exact=True).click()
        other.page.locator("dialog").get_by_role("button", name="Close").click()
        expect(other.page.locator("dialog")).to_contain_text("Only an active or idle ticket can be closed.")
        expect(page.get_by_role("button", name="Close", exact=True)).to_have_count(0)
        page.get_by_role("button", name="Reopen").click()
        page.locator("dialog").get_by_role("button", name="Reopen").click()
        expect(page.locator(".notice").first).to_have_text("The ticket was reopened.")
        assert service.ask("GET", f"/v1/tickets/show?app_id=market&ticket_id={ticket}")[1]["state"] != "CLOSED"
    with Operator(browser, service) as reader:
        reader.sign_in("read", f"#/tickets?app_id=market&ticket_id={service.tickets[2]['ticket_id']}")
        reader.settle()
        expect(reader.page.locator(".notice")).to_contain_text("may read")
        expect(reader.page.get_by_role("button", name="Close", exact=True)).to_have_count(0)


def says_that_the_help_desk_is_away(browser, service):
    with Operator(browser, service, locale="ru-RU") as operator:
        operator.allowed = ["status of 503", "status of 404"]
        page, asked = operator.page, []
        operator.sign_in(address="#/tickets?app_id=market&ticket_id=999999")
        expect(page.locator(".trouble")).to_contain_text("Такого тикета нет.")

        def away(route):
            asked.append(route)
            route.fulfill(status=503, json={"error": "help_desk_unavailable", "message": "The help desk does not answer."})

        page.route(re.compile("/v1/tickets/show"), away)
        operator.show(f"#/tickets?app_id=market&ticket_id={service.tickets[3]['ticket_id']}")
        expect(page.locator(".trouble")).to_contain_text("Служба поддержки сейчас не отвечает.")
        expect(page.locator(".trouble")).to_contain_text("Sendbird недоступен")
        # Only a person asks it again.
        operator.let_timers_run(AGAIN_MILLISECONDS)
        assert len(asked) == 1
        page.unroute(re.compile("/v1/tickets/show"))
        page.locator(".trouble button").click()
        expect(page.locator(".view .card")).to_contain_text("Ждёт поддержку")


def tells_what_session_tokens_came_to(browser, service):
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in(address="#/sessions")
        operator.settle()
        card = page.locator(".card").filter(has=page.get_by_role("heading", name="market"))
        for result, count in [("Kept", 1), ("Issued", 3), ("Denied", 1), ("Limited", 0)]:
            expect(card.locator("tbody tr").filter(has_text=re.compile(rf"^{result}"))).to_contain_text(re.compile(rf"^{result}\s*{count}"))
        page.get_by_label("User").fill("customer-1")
        with operator.next_view():
            page.get_by_role("button", name="Why has somebody none?").click()
        step = page.locator(".timeline .step").filter(has_text="Session token")
        expect(step).to_contain_text("The last session token was issued at ")
        operator.check("session-explained")
        operator.search("customer-3")
        expect(page.locator(".finding").first).to_contain_text("blocked")
        expect(page.locator(".timeline .step").filter(has_text="Session token")).to_contain_text("No session token is given")


def sends_a_test(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in(address="#/notifiers")
        operator.settle()
        card = operator.page.locator(".notifier").filter(has=operator.page.get_by_role("heading", name="backend"))
        card.get_by_role("button", name="Send a test").click()
        operator.page.locator("dialog").get_by_role("button", name="Send a test").click()
        operator.page.get_by_role("link", name="Follow it").click()
        expect(operator.page.locator(".timeline")).to_contain_text("operator.test")


def is_used_by_keyboard(browser, service):
    with Operator(browser, service) as operator:
        page = operator.page
        operator.open()
        expect(page.locator("input[type=password]")).to_be_focused()
        page.keyboard.type(service.tokens["operate"])
        page.keyboard.press("Enter")
        expect(page.locator("#shell")).to_be_visible()
        page.keyboard.press("/")
        expect(page.locator("input[type=search]")).to_be_focused()
        page.keyboard.type("user-1")
        page.keyboard.press("Enter")
        expect(page.locator("#content h1")).to_have_text("User user-1")
        operator.settle()
        # After Enter the key is free again, and the former text goes with the first letter.
        page.keyboard.press("/")
        expect(page.locator("input[type=search]")).to_be_focused()
        page.keyboard.type("user-2")
        expect(page.locator("input[type=search]")).to_have_value("user-2")
        page.keyboard.press("Enter")
        expect(page.locator("#content h1")).to_have_text("User user-2")
        # So it is after the form of a view, also where Enter leads nowhere else.
        operator.show("#/people?app_id=shop&user_id=user-1")
        operator.settle()
        page.locator("#person").press("Enter")
        page.keyboard.press("/")
        expect(page.locator("input[type=search]")).to_be_focused()
        # Without a text there is nothing to leave for.
        page.keyboard.press("Enter")
        expect(page.locator("input[type=search]")).to_be_focused()
        # Each place that has the focus shows it.
        page.locator("#skip").focus()
        reached = set()
        for _ in range(len(VIEWS) + 8):
            page.keyboard.press("Tab")
            focus = page.evaluate("() => { const it = document.activeElement, style = getComputedStyle(it); return [it.textContent.trim() || it.id, style.outlineStyle]; }")
            assert focus[1] != "none", f"{focus[0]} shows no focus"
            reached.add(focus[0])
        assert {"Now", "Dead letters", "Configuration", "Sign out"} <= reached, reached
        page.get_by_role("link", name="Dead letters").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#content h1")).to_have_text("Dead letters")


def goes_on_and_stops_when_nobody_looks(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in(address="#/now")

        def hide(is_hidden):
            operator.page.evaluate("""(value) => {
                Object.defineProperty(document, "hidden", { value, configurable: true });
                document.dispatchEvent(new Event("visibilitychange"));
            }""", is_hidden)

        def have_stopped():
            operator.note_requests()
            before = operator.asked("/metrics")
            operator.let_timers_run(STEP_MILLISECONDS)
            return operator.asked("/metrics") == before

        await_looks(operator, 2)
        hide(True)
        assert have_stopped(), "the charts go on although nobody looks"
        before = operator.asked("/metrics")
        hide(False)
        operator.note_requests()
        assert operator.asked("/metrics") > before, "the charts do not go on when somebody looks again"
        operator.show("#/keys")
        assert have_stopped(), "the charts go on behind another view"


def bears_ten_thousand_rows(browser, service):
    sample = service.ask("GET", "/v1/deliveries?state=dead&limit=1")[1]["deliveries"][0] | {"user_id": seeded.EVIL}
    with Operator(browser, service) as operator:
        page = operator.page
        calls = []

        def answer(route):
            calls.append(route)
            route.fulfill(json={"deliveries": [sample] * 1000, "next": "1-1" if len(calls) < 10 else None})

        page.route(re.compile(r"/v1/deliveries\?"), answer)
        operator.sign_in(address="#/dead?reason=x")
        operator.settle()
        for thousands in range(2, 11):
            page.get_by_role("button", name="Show more").click()
            expect(page.locator(".more")).to_contain_text(f"{thousands}000 rows")
        assert page.locator("tbody tr").count() >= 10_000


def bears_a_clock_that_jumps(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in()
        for year in ["1999", "2099"]:
            operator.page.clock.set_system_time(f"{year}-12-31T23:59:59Z")
            for view in VIEWS:
                operator.show(f"#/{view}")
                assert "NaN" not in operator.text() and "Invalid" not in operator.text(), operator.text()


def ends_with_its_token(browser, service):
    with Operator(browser, service) as operator:
        operator.allowed = ["status of 401"]
        operator.sign_in(address="#/people")
        operator.settle()
        old = service.tokens["operate"]
        service.tokens["operate"] = service.config["admin"]["tokens"][0]["token"] = service.new_secret()
        service.write()
        service.reload()
        operator.page.evaluate("() => { location.hash = '#/dead'; }")
        expect(operator.page.locator("#entrance-error")).to_contain_text("The session has ended.")
        expect(operator.page.locator("#shell")).to_be_hidden()
        operator.check("session-ended")
        operator.page.locator("input[type=password]").fill(old)
        operator.page.keyboard.press("Enter")
        expect(operator.page.locator("#entrance-error")).to_contain_text("no admin token")
        operator.page.locator("input[type=password]").fill(service.tokens["operate"])
        operator.page.keyboard.press("Enter")
        expect(operator.page.locator("#content h1")).to_have_text("Dead letters")


def says_that_the_service_is_away(browser, service):
    with Operator(browser, service) as operator:
        # While the service stops it refuses requests, or leaves them without an answer, and a restart ends all sessions.
        operator.allowed = ["net::ERR_", "status of 401", "status of 503"]
        operator.sign_in(address="#/now")
        service.end()
        operator.show("#/keys")
        expect(operator.page.locator(".trouble")).to_contain_text("The service does not answer.")
        operator.check("service-away")
        operator.page.evaluate("() => { location.hash = '#/now'; }")
        expect(operator.page.locator(".trouble")).to_contain_text("The service does not answer.")
        service.start()
        expect(operator.page.locator("#entrance-error")).to_contain_text("The session has ended.")


SCENES = [
    signs_in_and_refuses, shows_every_view, speaks_russian, has_both_languages_whole, leads_from_the_search_to_a_timeline, says_in_which_app_a_user_is_blocked, keeps_a_security_key_out_of_addresses,
    lists_tickets_and_ratings, closes_and_reopens_a_ticket, says_that_the_help_desk_is_away, tells_what_session_tokens_came_to,
    a_reader_changes_nothing, sends_a_test, is_used_by_keyboard, goes_on_and_stops_when_nobody_looks, bears_ten_thousand_rows,
    bears_a_clock_that_jumps, signs_a_person_out, tries_one_again, tries_dead_letters_again, tells_how_far_a_retry_is, ends_with_its_token, says_that_the_service_is_away,
] + bots.SCENES + tabs.SCENES + wording.SCENES + remedies.SCENES


def arrange(service):
    service.with_market()
    bots.configure(service)


@contextlib.contextmanager
def filled(directory):
    """A service with much to see."""
    with seeded.running(directory, arrange) as service:
        service.seed()
        service.seed_market()
        bots.seed(service)
        yield service


def passes(scene, browser, service):
    try:
        scene(browser, service)
    except Exception as error:
        print(f"FAILED  {scene.__name__}: {error}", flush=True)
        return False
    print(f"ok      {scene.__name__}", flush=True)
    return True


def main():
    wanted = sys.argv[1:]
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    failed = []
    # In a container Chromium's own sandbox needs rights that it has not; the page under test is ours.
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser:
        for scenes, running in [
            (SCENES, filled), (newcomers.SCENES, newcomers.running), (faults.SCENES, faults.running), (demo.SCENES, demo.running), (demo.ONLY_NAMED, demo.running_release),
        ]:
            chosen = [scene for scene in scenes if scene.__name__ in wanted or not wanted and scene not in demo.ONLY_NAMED]
            if chosen:
                with tempfile.TemporaryDirectory() as directory, running(directory) as service:
                    failed += [scene.__name__ for scene in chosen if not passes(scene, browser, service)]
    print(f"screenshots: {SCREENSHOTS}")
    sys.exit(f"{len(failed)} failed: {', '.join(failed)}" if failed else 0)


main()
