"""One browser with the operators' page, and what must never be seen in it."""
import contextlib

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import service as seeded
from waiting import PATIENCE_SECONDS, wait_for

SCREENSHOTS = seeded.ROOT / ".build/page-screenshots"
LOOKS = {
    "light": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    "wide": {"viewport": {"width": 2200, "height": 1200}, "color_scheme": "dark"},
}
# The page asks for it when it is loaded, and never again.
LAST_PATH = "/page/icon.svg"
PATIENCE_MILLISECONDS = PATIENCE_SECONDS * 1000
expect.set_options(timeout=PATIENCE_MILLISECONDS)


class Operator:
    """One browser with the page. It notes whatever must not be: messages on the console, dialogs, requests elsewhere."""

    def __init__(self, browser, service, look="light", locale="en-US", zone=None):
        self.service = service
        self.context = browser.new_context(locale=locale, timezone_id=zone, **LOOKS[look])
        self.context.set_default_timeout(PATIENCE_MILLISECONDS)
        self.page = self.context.new_page()
        self.faults, self.requests, self.allowed = [], [], []
        self.page.on("console", lambda message: self.note(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request))

    def note(self, text):
        if not any(allowed in text for allowed in self.allowed):
            self.faults.append(f"console: {text}")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                elsewhere = [request.url for request in self.requests if not request.url.startswith(self.service.admin + "/")]
                assert not elsewhere, elsewhere
                assert not self.faults, self.faults
        finally:
            self.context.close()

    def open(self, address=""):
        self.page.goto(f"{self.service.admin}/{address}")

    def sign_in(self, role="operate", address=""):
        self.open(address)
        field = self.page.locator("input[type=password]")
        field.fill(self.service.tokens[role])
        field.press("Enter")
        expect(self.page.locator("#shell")).to_be_visible()

    def wait_until(self, found, what):
        """As `wait_for`, and receives the browser's events meanwhile."""
        return wait_for(found, what, pause=lambda seconds: self.page.wait_for_timeout(seconds * 1000))

    @contextlib.contextmanager
    def next_view(self):
        """Waits for the view to which the block leads: another one, or the same one made anew."""
        former = self.page.locator(".view").element_handle()
        yield
        self.wait_until(lambda: not former.evaluate("view => view.isConnected"), "leads to another view")
        self.settle()

    def show(self, address):
        """Shows the view of an address that is not shown yet."""
        with self.next_view():
            self.page.evaluate("where => { location.hash = where; }", address)

    def settle(self):
        """Waits until the view has loaded. After an action, `next_view` makes sure that it is not the former view."""
        expect(self.page.locator(".view h1").first).to_be_visible()
        expect(self.page.locator(".waiting")).to_have_count(0)

    def search(self, text, kind="auto"):
        self.page.locator("#kind").select_option(kind)
        field = self.page.locator("input[type=search]")
        field.fill(text)
        with self.next_view():
            field.press("Enter")

    def asked(self, path):
        """How many requests the page has sent to a path."""
        return sum(request.url == self.service.admin + path for request in self.requests)

    def note_requests(self):
        """Returns when every request that the page has sent by now is in `requests`."""
        known = self.asked(LAST_PATH)
        self.page.evaluate("path => fetch(path, { cache: 'no-store' }).then((answer) => answer.ok)", LAST_PATH)
        self.wait_until(lambda: self.asked(LAST_PATH) > known, f"asks for {LAST_PATH}")

    def let_timers_run(self, milliseconds):
        """Returns when every timer of the page that was set for this time, or a shorter one, has run, and its requests are in `requests`."""
        # Timers run in the order of their times, and this one is set last.
        self.page.evaluate("time => new Promise((done) => { setTimeout(done, time); })", milliseconds)
        self.note_requests()

    def text(self):
        return self.page.locator("#content").inner_text()

    def check(self, name):
        """No violation of what axe-core knows, nothing wider than the window, and a screenshot for people."""
        wide = self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide"
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
        results = Axe().run(self.page)
        assert results.violations_count == 0, f"{name}: {results.generate_report()}"
