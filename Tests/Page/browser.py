"""One browser with the operators' page, and what must never be seen in it."""
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import service as seeded

SCREENSHOTS = seeded.ROOT / ".build/page-screenshots"
LOOKS = {
    "light": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    "wide": {"viewport": {"width": 2200, "height": 1200}, "color_scheme": "dark"},
}
PATIENCE_MILLISECONDS = 20_000
expect.set_options(timeout=PATIENCE_MILLISECONDS)


class Operator:
    """One browser with the page. It notes whatever must not be: messages on the console, dialogs, requests elsewhere."""

    def __init__(self, browser, service, look="light", locale="en-US"):
        self.service = service
        self.context = browser.new_context(locale=locale, **LOOKS[look])
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MILLISECONDS)
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
        self.page.locator("input[type=password]").fill(self.service.tokens[role])
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#shell")).to_be_visible()

    def show(self, address):
        self.page.evaluate("where => { location.hash = where; }", address)
        self.settle()

    def settle(self):
        expect(self.page.locator(".view h1").first).to_be_visible()
        expect(self.page.locator(".waiting")).to_have_count(0)

    def search(self, text, kind="auto"):
        self.page.locator("#kind").select_option(kind)
        self.page.locator("input[type=search]").fill(text)
        self.page.keyboard.press("Enter")
        self.page.wait_for_timeout(100)
        self.settle()

    def text(self):
        return self.page.locator("#content").inner_text()

    def check(self, name):
        """No violation of what axe-core knows, nothing wider than the window, and a screenshot for people."""
        wide = self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide"
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
        results = Axe().run(self.page)
        assert results.violations_count == 0, f"{name}: {results.generate_report()}"
