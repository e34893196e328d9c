"""What somebody finds who sees the page for the first time, from signing in and with what is visible alone.

Each scene counts what the person does: a click, or a field that is typed. Few steps stand for little time, which no test can measure.
"""
import base64
import contextlib
import hashlib
import hmac
import re
import secrets
import subprocess
import time

from playwright.sync_api import expect

import service as seeded
from browser import Operator

MOST_STEPS = 3
SECOND_APP, MUTE_APP = "market", "silent"
GIVEN_UP = 5
TOKEN_GONE = "token-that-fcm-does-not-know"
FAULTS = [
    {"provider": "apns", "times": None, "answer": {"status": 403, "reason": "InvalidProviderToken"}},
    {"provider": "fcm", "endpoint": "send", "times": None, "match": {"token": TOKEN_GONE}, "answer": {"status": 404, "reason": "UNREGISTERED"}},
    {"provider": "fcm", "endpoint": "send", "times": GIVEN_UP, "answer": {"status": 400, "reason": "INVALID_ARGUMENT"}},
]


class Newcomer(Operator):
    """Signs in, and then counts."""

    steps = 0

    def __exit__(self, kind, *rest):
        super().__exit__(kind, *rest)
        if kind is None:
            assert 0 < self.steps <= MOST_STEPS, f"{self.steps} steps"

    def types(self, label, text):
        self.steps += 1
        field = self.page.get_by_label(label)
        field.fill(text)
        field.press("Enter")

    def searches(self, text, label="Search"):
        with self.next_view():
            self.types(label, text)

    def clicks(self, locator):
        self.steps += 1
        locator.click()

    def is_told(self, cause, remedy):
        finding = self.page.locator(".finding").first
        expect(finding).to_contain_text(re.compile(cause))
        expect(finding).to_contain_text(re.compile(remedy))


def key(service, app, user, key_id=1, issued=0, expires=0):
    """A security key as a backend makes it (docs/SECURITY-KEY.md), also one that Deskgate would not mint."""
    secret = base64.urlsafe_b64decode(service.secrets[app] + "=")
    issued += int(time.time())
    head = b"\0" + key_id.to_bytes(4) + issued.to_bytes(5) + (expires and issued + expires).to_bytes(5) + secrets.token_bytes(16)
    fields = b"".join(len(part).to_bytes(4) + part for part in (app.encode(), user.encode()))
    mac = hmac.digest(secret, b"deskgate/sk/v1" + head + fields, hashlib.sha256)
    return "dgk1." + base64.urlsafe_b64encode(head + mac).decode()


def arrange(service):
    """Three apps: one that pushes, one whose receiver is away, and one whose comments nobody is told of."""
    config, notifiers = service.config, service.config["notifiers"]
    first = config["apps"][0]
    first["notifiers"], first["keys"] = [], first["keys"][:1]
    service.secrets = {seeded.APP: (service.directory / "secrets/app-1.key").read_text().strip()}
    for name, told in [(SECOND_APP, ["archive"]), (MUTE_APP, [])]:
        service.secrets[name] = service.new_secret()
        config["apps"].append({
            "app_id": name, "keys": [{"id": 1, "secret": service.secrets[name]}], "notifiers": told,
            "webhook": {"secret": {"file": "secrets/webhook-1.key"}}})
    certificate, private = service.directory / "push.pem", service.directory / "push.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "10", "-subj", "/CN=push",
         "-keyout", private, "-out", certificate], check=True, capture_output=True)
    private.chmod(0o600)
    former = notifiers["apns"]
    notifiers["apns-old"] = {
        "type": "apns", "certificate": str(certificate), "key": {"file": str(private)}, "topic": former["topic"], "url": former["url"],
        "sandbox_url": former["sandbox_url"], "certificate_authorities": former["certificate_authorities"]}
    for name in ("crm", "billing", "backend"):
        del notifiers[name]


@contextlib.contextmanager
def running(directory):
    """The service with one cause of each kind."""
    with seeded.running(directory, arrange, FAULTS) as service:
        for number in range(GIVEN_UP):
            service.register(f"reader-{number}", f"android-{number}", "android")
            service.comment(f"reader-{number}", 800, 8000 + number, f"android-{number}")
        dead = lambda reason: sum(count for (_, why), count in service.groups().items() if why == reason)
        service.wait_for(lambda: dead("invalid_argument") == GIVEN_UP, "is refused by FCM")
        service.register("user-gone", "android-gone", "android", TOKEN_GONE)
        service.comment("user-gone", 801, 8101, "android-gone")
        service.register("user-paused", "iphone", "ios", "ab" * 32)
        service.comment("user-paused", 801, 8102, "iphone")
        service.comment("user-without", 801, 8103)
        service.comment("user-waiting", 801, 8104, app=SECOND_APP)
        service.ask("POST", "/v1/users/block", {"app_id": seeded.APP, "user_id": "user-blocked", "reason": "rude"})
        service.signed_out = key(service, seeded.APP, "user-out", issued=-100)
        service.ask("POST", "/v1/users/sign-out", {"app_id": seeded.APP, "user_id": "user-out", "reason": "lost phone"})
        service.wait_for(lambda: any(one["state"] == "paused" for one in service.ask("GET", "/v1/notifiers")[1]["notifiers"]), "is paused")
        service.wait_for(lambda: service.ask("GET", "/v1/deliveries?comment_id=8101")[1]["deliveries"][0]["state"] != "pending", "is refused")
        service.wait_for(lambda: service.ask("GET", "/v1/deliveries?comment_id=8104")[1]["deliveries"][0]["attempts"] > 0, "is tried")
        yield service


def is_not_shown_what_another_help_desk_has(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in()
        views = operator.page.locator("nav a")
        expect(views).to_have_count(7)
        expect(views.filter(has_text=re.compile("Tickets|Session"))).to_have_count(0)
        # An address that a colleague has sent says why there is nothing.
        operator.show("#/tickets")
        expect(operator.page.locator(".empty")).to_contain_text("No app belongs to Sendbird Desk.")


def finds_why_somebody_is_denied(browser, service):
    app = seeded.APP
    for name, typed, owner, cause, remedy in [
        ("blocked", "user-blocked", None, "denied with any key: blocked", "deskgate users unblock"),
        ("expired", key(service, app, "ann", issued=-7200, expires=3600), None, "The key expired at .* 60 minutes ago|The key expired at .* ago", "fetch a new key"),
        ("signed-out", service.signed_out, "user-out", "All keys of this user that were issued before", "fetch a new one"),
        ("unknown-key-id", key(service, app, "ann", key_id=7), None, "made with the key id 7, and the app has only the key id 1", "configure the former secret again"),
        ("clock-ahead", key(service, app, "ann", issued=7200), None, "ahead of this machine's clock", "Set the clock of the machine that minted"),
    ]:
        with Newcomer(browser, service) as newcomer:
            newcomer.sign_in()
            newcomer.searches(typed)
            if owner:
                newcomer.types("Whose key is it?", owner)
            newcomer.is_told(cause, remedy)
            newcomer.check(f"newcomer-denied-{name}")


def finds_that_a_key_is_for_another_app(browser, service):
    with Newcomer(browser, service) as newcomer:
        newcomer.sign_in()
        newcomer.searches(key(service, SECOND_APP, "ann"))
        newcomer.types("Whose key is it?", "ann")
        sections = newcomer.page.locator(".view section")
        # The app that takes it stands first.
        expect(sections.first).to_contain_text(f"App: {SECOND_APP}")
        expect(sections.first).to_contain_text("this key is allowed now")
        other = sections.filter(has_text=f"App: {seeded.APP}")
        expect(other).to_contain_text("was not made with the secret of key id 1 for this app_id")
        expect(other).to_contain_text("Check in this order")
        newcomer.check("newcomer-denied-other-app")
    with Newcomer(browser, service) as newcomer:
        newcomer.sign_in()
        newcomer.searches(key(service, MUTE_APP, "ann", issued=-7200, expires=3600))
        newcomer.types("Whose key is it?", "ann")
        # It is denied there, too, and for another cause than elsewhere.
        expect(newcomer.page.locator(".view section").first).to_contain_text(f"App: {MUTE_APP}")
        newcomer.is_told(r"403 \(expired\)", "fetch a new key")


def finds_why_a_comment_has_not_arrived(browser, service):
    for name, comment, cause, remedy in [
        ("token-gone", "8101", "does not know the device's token any more", "open the app"),
        ("paused", "8102", r"notifier paused \(invalid_provider_token\)", "key_id"),
        ("no-device", "8103", "no registered device|no device", "which devices are registered|open the app"),
        ("waiting", "8104", " tries again at |It waits for archive", "tried again by itself|mend its receiver"),
    ]:
        with Newcomer(browser, service) as newcomer:
            newcomer.sign_in()
            newcomer.searches(comment)
            expect(newcomer.page.locator("#content h1")).to_have_text(f"Comment {comment}")
            newcomer.is_told(cause, remedy)
            newcomer.check(f"newcomer-comment-{name}")


def finds_that_nobody_is_told_of_a_comment(browser, service):
    service.comment("user-mute", 801, 8105, app=MUTE_APP)
    with Newcomer(browser, service) as newcomer:
        newcomer.sign_in()
        newcomer.searches("8105")
        with newcomer.next_view():
            newcomer.clicks(newcomer.page.locator(".hits li").filter(has_text="Comment").filter(has_text=MUTE_APP).get_by_role("link"))
        newcomer.is_told("No notifier is told of the app's comments|came at", "Name one|Keep them")
        newcomer.check("newcomer-comment-nobody")


def finds_the_broken_credential(browser, service):
    for look in ("light", "dark", "phone"):
        with Newcomer(browser, service, look) as newcomer:
            newcomer.sign_in()
            problems = newcomer.page.locator(".problems")
            expect(problems).to_contain_text(re.compile("apns is paused and sends nothing.*invalid_provider_token"))
            expect(problems).to_contain_text(re.compile("The certificate of apns-old expires in [89] days"))
            newcomer.check(f"newcomer-now-{look}")
            newcomer.clicks(problems.get_by_role("link", name=re.compile("Show: apns is paused")))
            wanted = newcomer.page.locator(".notifier.wanted")
            expect(wanted.get_by_role("heading")).to_have_text("apns")
            expect(wanted).to_contain_text('Check "key", "key_id" and "team_id"')
            newcomer.check(f"newcomer-credential-{look}")


def finds_what_to_retry(browser, service):
    with Newcomer(browser, service) as newcomer:
        newcomer.sign_in()
        page = newcomer.page
        problem = page.locator(".problems li").filter(has_text="given up")
        expect(problem).to_contain_text("The provider finds something wrong with this push.")
        newcomer.clicks(problem.get_by_role("link"))
        row = page.locator("tbody tr").filter(has_text="invalid_argument")
        expect(row).to_contain_text(str(GIVEN_UP))
        newcomer.clicks(row.get_by_role("button"))
        newcomer.clicks(page.locator("dialog").get_by_role("button", name=f"Retry {GIVEN_UP}"))
        expect(page.locator(".notice").first).to_contain_text(f"{GIVEN_UP} deliveries are tried again. None of them was given up again.")
        newcomer.check("newcomer-retried")


def finds_it_in_russian(browser, service):
    with Newcomer(browser, service, locale="ru-RU") as newcomer:
        newcomer.sign_in()
        problems = newcomer.page.locator(".problems")
        expect(problems).to_contain_text("apns на паузе и ничего не отправляет: провайдер не принимает ключ или настройки канала")
        newcomer.check("newcomer-russian-now")
        newcomer.clicks(problems.get_by_role("link", name=re.compile("Показать: apns на паузе")))
        expect(newcomer.page.locator(".wanted")).to_contain_text("Проверьте \"key\", \"key_id\"")
        newcomer.check("newcomer-russian-notifiers")
        newcomer.searches("8101", "Поиск")
        newcomer.is_told("провайдер больше не знает токен устройства", "пусть человек откроет приложение|Пусть человек откроет приложение")
        newcomer.check("newcomer-russian-comment")
        english = re.findall(r"\b(?:the|is|was|and|of)\b", newcomer.text())
        assert not english, newcomer.text()
        assert newcomer.page.locator("#content [lang=en]").count() == 0


SCENES = [
    is_not_shown_what_another_help_desk_has, finds_why_somebody_is_denied, finds_that_a_key_is_for_another_app, finds_why_a_comment_has_not_arrived, finds_that_nobody_is_told_of_a_comment,
    finds_the_broken_credential, finds_it_in_russian, finds_what_to_retry,
]
