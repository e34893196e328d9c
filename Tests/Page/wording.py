"""How the page says things: moments, durations, reasons."""
import re

from playwright.sync_api import expect

from browser import Operator

ZONE = "Asia/Kolkata"
MOMENT = re.compile(r"[A-Z][a-z]{2} \d{1,2}, (\d{4}, )?\d\d:\d\d:\d\d UTC\+5:30")
EXACT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
# The configuration is shown as it was written.
VIEWS = ["now", "notifiers", "dead", "dead?notifier=fcm", "people", "people?app_id=shop&user_id=user-1", "tickets", "sessions", "bots", "keys", "store"]


def shows_moments_in_one_form(browser, service):
    """Also those that the service names within its sentences."""
    with Operator(browser, service, zone=ZONE) as operator:
        operator.sign_in()

        def check(place):
            moments = operator.page.locator("#content time")
            for moment in moments.all():
                text, title = moment.text_content(), moment.get_attribute("title")
                assert MOMENT.fullmatch(text), f"{place}: {text}"
                assert EXACT.fullmatch(title), f"{place}: {title}"
            assert not EXACT.search(operator.text()), f"{place}: {operator.text()}"

        for view in VIEWS:
            operator.show(f"#/{view}")
            operator.settle()
            check(view)
        service.authorize("user-1", service.key("user-1"))
        operator.search("user-1")
        expect(operator.page.locator(".timeline time")).not_to_have_count(0)
        expect(operator.page.locator(".step-text time")).not_to_have_count(0)
        check("timeline")


def says_durations_as_the_service_does(browser, service):
    with Operator(browser, service) as operator:
        operator.open()
        said = operator.page.evaluate("""async () => {
            const [{ duration }, { speak }] = await Promise.all([import("/page/format.js"), import("/page/words.js")]);
            return ["en", "ru"].map((language) => {
                speak(language);
                return [1, 119, 120, 7199, 7200, 172_800].map(duration);
            });
        }""")
        assert said[0] == ["1 second", "119 seconds", "2 minutes", "119 minutes", "2 hours", "2 days"], said
        assert said[1] == ["1 с", "119 с", "2 мин", "119 мин", "2 ч", "2 дн."], said


def says_reasons_in_sentences(browser, service):
    """The word for programs is at most beside them."""
    delivery = service.ask("GET", "/v1/deliveries?state=dead&notifier=fcm&limit=1")[1]["deliveries"][0]
    for locale, tail in [("en-US", "gave it up after"), ("ru-RU", "отказался от доставки")]:
        with Operator(browser, service, locale=locale) as operator:
            page = operator.page
            operator.sign_in(address="#/dead?notifier=fcm")
            operator.settle()
            rows = page.locator("section tbody tr")
            expect(rows).not_to_have_count(0)
            for row in rows.all():
                expect(row).to_contain_text(tail)
            page.locator("tbody button").first.click()
            expect(page.locator("dialog li").first).to_contain_text(re.compile(r"^fcm: .{20,} [a-z_0-9]+$"))
            page.keyboard.press("Escape")
            operator.show(f"#/find?delivery_id={delivery['id']}")
            page.locator(".beside button").click()
            expect(page.locator("dialog")).to_contain_text(f"fcm {tail}")
            operator.check(f"wording-retry-{locale[:2]}")


def tells_a_ticket_as_explain_does(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in(address="#/find?ticket_id=4003&app_id=shop")
        operator.settle()
        steps = operator.page.locator(".timeline .step-text")
        expect(steps.filter(has_text="The help desk told of comment").first).to_be_visible()
        told = steps.all_inner_texts()
        # An event that goes to several notifiers has come once.
        arrivals = [text for text in told if text.startswith("The help desk told of comment")]
        assert len(arrivals) == len(set(arrivals)), arrivals
        assert any("after 1 attempt" in text for text in told), told


def speaks_russian_alone(browser, service):
    """Names, keys and commands stay as they are."""
    with Operator(browser, service, locale="ru-RU") as operator:
        operator.allowed = ["status of 400", "status of 404"]
        operator.sign_in()
        for view in [*VIEWS, "find?app_id=shop&user_id=user-3"]:
            operator.show(f"#/{view}")
            operator.settle()
            english = re.findall(r"\b(?:the|is|was|and|of|for|ago|[kMG]B|hours?|days?|minutes?|seconds?)\b", operator.text())
            assert not english, f"{view}: {english}: {operator.text()}"
        operator.show("#/store")
        expect(operator.page.locator(".facts").first).to_contain_text(re.compile(r"\d МБ"))
        for path, text in [("/v1/deliveries?limit=0", "Служба не приняла введённое: limit."), ("/v1/deliveries/x", "Этого нет: возможно, оно уже удалено.")]:
            refused = operator.page.evaluate("""async (path) => {
                const { ask } = await import("/page/api.js");
                return ask(path).then(() => "taken", (error) => error.message);
            }""", path)
            assert refused == text, refused


SCENES = [
    shows_moments_in_one_form, says_durations_as_the_service_does, says_reasons_in_sentences, tells_a_ticket_as_explain_does, speaks_russian_alone,
]
