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


SCENES = [shows_moments_in_one_form, says_durations_as_the_service_does]
