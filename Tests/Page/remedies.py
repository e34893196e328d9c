"""Remedies that the page can carry out are buttons."""
import re

from playwright.sync_api import expect

import service as seeded
from browser import Operator

# A shell would need quotes for it.
ODD_USER = "o'neil; junior"
OUT_USER = "user-of-a-lost-phone"


def unblocks_where_it_says_so(browser, service):
    person = {"app_id": seeded.APP, "user_id": ODD_USER}
    key = service.key(ODD_USER)
    assert service.ask("POST", "/v1/users/block", person)[0] == 200
    assert service.authorize(ODD_USER, key) == 403
    with Operator(browser, service, locale="ru-RU") as operator:
        page = operator.page
        operator.sign_in()
        operator.search(ODD_USER)
        page.locator(".finding").get_by_role("button", name="Разблокировать").click()
        expect(page.locator("dialog")).to_contain_text(f"Разблокировать {ODD_USER}?")
        expect(page.locator("dialog")).to_contain_text(f"Приложение: {seeded.APP}")
        operator.check("remedy-unblock")
        page.locator("dialog").get_by_role("button", name="Разблокировать").click()
        expect(page.locator(".notice").first).to_have_text("Разблокировано.")
        expect(page.locator(".finding").get_by_role("button")).to_have_count(0)
    assert all(one["user_id"] != ODD_USER for one in service.ask("GET", f"/v1/revocations?app_id={seeded.APP}")[1]["revocations"])
    service.wait_for(lambda: service.authorize(ODD_USER, service.key(ODD_USER)) == 200, "is allowed again")


def removes_a_revocation_where_it_says_so(browser, service):
    key = service.key(OUT_USER)
    assert service.ask("POST", "/v1/users/sign-out", {"app_id": seeded.APP, "user_id": OUT_USER})[0] == 200
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in()
        operator.search(OUT_USER)
        page.locator("#content").get_by_role("button", name="Remove").first.click()
        page.locator("dialog").get_by_role("button", name="Remove").click()
        expect(page.locator(".notice").first).to_have_text("The revocation was removed.")
    service.wait_for(lambda: service.authorize(OUT_USER, key) == 200, "counts again")


def retries_where_it_says_so(browser, service):
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in()
        problem = page.locator(".problems li").filter(has_text="deskgate deliveries retry --notifier fcm")
        problem.get_by_role("button", name="Retry all").click()
        dialog = page.locator("dialog")
        expect(dialog).to_contain_text("fcm: ")
        dialog.get_by_role("button", name=re.compile("^Retry")).click()
        expect(page.locator(".notice").first).to_contain_text(re.compile("(is|are) tried again."))


def gives_up_what_waits_for_a_notifier_that_is_gone(browser, service):
    """The service's answers are made up: a notifier that is gone has nothing that waits for long."""
    former = {
        "name": "former", "type": None, "state": None, "reason": None, "meaning": None, "remedy": None, "apps": [], "pending": 3, "oldest_at": None,
        "credential_expires_at": None, "can_test": False}
    with Operator(browser, service) as operator:
        page, asked = operator.page, []

        def give_up(route):
            if route.request.method != "DELETE":
                return route.fallback()
            asked.append(route.request.url)
            return route.fulfill(json={"purged": 3})

        page.route(re.compile("/v1/notifiers"), lambda route: route.fulfill(json={"notifiers": [former]}))
        page.route(re.compile(r"/v1/deliveries\?"), give_up)
        operator.sign_in(address="#/notifiers")
        page.get_by_role("button", name="Give them up").click()
        operator.check("remedy-give-up")
        page.locator("dialog").get_by_role("button", name="Give them up").click()
        expect(page.locator(".notice").first).to_have_text("3 deliveries were given up.")
        assert asked == [f"{service.admin}/v1/deliveries?state=pending&notifier=former"], asked


def offers_a_reader_no_remedy(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in("read")
        operator.search("user-3", "user")
        expect(operator.page.locator(".finding")).to_contain_text("deskgate users unblock")
        expect(operator.page.locator(".finding, .timeline").get_by_role("button")).to_have_count(0)


SCENES = [
    unblocks_where_it_says_so, removes_a_revocation_where_it_says_so, retries_where_it_says_so, gives_up_what_waits_for_a_notifier_that_is_gone,
    offers_a_reader_no_remedy,
]
