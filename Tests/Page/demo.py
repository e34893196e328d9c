"""The page of `deskgate demo`: what somebody sees in the first five minutes. The picture of the documentation is made here, too."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess

from PIL import Image
from playwright.sync_api import expect

import service as seeded
from browser import LOOKS, Operator
from ports import free_ports
from waiting import PATIENCE_SECONDS

PICTURE = seeded.ROOT / "docs/images/page.png"
PICTURE_COLOURS = 256
LOOKS["picture"] = {"viewport": {"width": 1280, "height": 1160}, "color_scheme": "light"}
# Almost two minutes: the charts show one, two, five or ten.
PICTURE_MILLISECONDS = 114_000
# Each view with something that only a service with a history has.
VIEWS = {
    "now": ".problems li", "notifiers": ".notifier.bad", "dead": "tbody tr", "people": "h1", "tickets": "tbody tr", "sessions": "tbody tr", "keys": "tbody tr", "store": ".card", "configuration": ".card",
}


class Demo:
    """`deskgate demo`, as an operator's browser wants a service."""

    def __init__(self, directory, program):
        command = [program, "demo", "--directory", pathlib.Path(directory) / "demo", "--port", str(free_ports(2)), "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        said = self.process.stdout.readline()
        assert said, "the demonstration does not begin"
        self.told = json.loads(said)
        self.admin = self.told["page"].rstrip("/")
        self.tokens = {"operate": pathlib.Path(self.told["admin_token"]).read_text().strip()}

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(timeout=PATIENCE_SECONDS) == 0


@contextlib.contextmanager
def running(directory, program=seeded.DESKGATE):
    """The demonstration; it ends with the block."""
    demo = Demo(directory, program)
    try:
        yield demo
    finally:
        demo.stop()


def running_release(directory):
    """The demonstration of the release build, which is as fast as the service is."""
    return running(directory, seeded.ROOT / ".build/release/deskgate")


def has_something_in_each_view(browser, demo):
    for locale in ("en-US", "ru-RU"):
        with Operator(browser, demo, locale=locale) as operator:
            operator.sign_in()
            for view, sight in VIEWS.items():
                operator.show(f"#/{view}")
                expect(operator.page.locator(sight)).not_to_have_count(0)
                operator.check(f"demo-{locale[:2]}-{view}")


def change(configuration, wrong, right):
    """Replaces a text of the file in one step, because the demonstration takes over each change."""
    changed = configuration.with_name("changed.json")
    changed.write_text(configuration.read_text().replace(wrong, right))
    changed.chmod(0o600)
    os.replace(changed, configuration)


def keeps_what_it_suggests(browser, demo):
    """Each thing that the command says to try leads to something that is seen."""
    with Operator(browser, demo) as operator:
        page = operator.page
        operator.sign_in()
        denied, waiting, dead, tickets, bots = demo.told["try"]
        user = re.search(r"user-\d+", denied)[0]
        operator.search(user)
        finding = page.locator(".finding").first
        expect(finding).to_contain_text("blocked")
        expect(finding).to_contain_text("deskgate users unblock")
        operator.check("demo-denied")
        finding.get_by_role("button", name="Unblock").click()
        page.locator("dialog").get_by_role("button", name="Unblock").click()
        expect(page.locator(".notice").first).to_have_text("Unblocked.")

        def is_allowed():
            page.reload()
            operator.settle()
            return "The latest request was allowed" in finding.inner_text()

        operator.wait_until(is_allowed, "is allowed again")
        operator.search(re.search(r"\d+", waiting)[0])
        expect(page.locator(".finding").first).to_contain_text("invalid_provider_token")
        operator.check("demo-waiting")
        operator.show("#/notifiers?notifier=apns-couriers")
        expect(page.locator(".notifier.wanted.bad")).to_have_count(1)
        wrong, right = re.search(r"replace (\S+) by (\w+)", waiting).groups()
        change(pathlib.Path(demo.told["configuration"]), wrong, right)
        operator.wait_until(lambda: page.evaluate("""async () => {
            const { ask } = await import("/page/api.js");
            const { notifiers } = await ask("/v1/notifiers");
            return notifiers.some(({ name, state, pending }) => name === "apns-couriers" && state === "working" && !pending);
        }"""), "sends what waited")
        count = re.search(r"refused (\d+)", dead)[1]
        operator.show("#/dead")
        row = page.locator("tbody tr").filter(has_text="fcm").filter(has_text="invalid_argument")
        expect(row).to_contain_text(count)
        row.get_by_role("button").click()
        page.locator("dialog").get_by_role("button", name=re.compile("Retry")).click()
        expect(page.locator(".notice").first).to_contain_text("None of them was given up again.")
        operator.check("demo-retried")
        assert "market" in tickets
        operator.show("#/tickets?app_id=market")
        # The demonstration closes the ticket that was opened first, which stands at one end of the list.
        page.locator(".view > div:last-child tbody tr").filter(has_text="Active").nth(1).get_by_role("link").first.click()
        page.get_by_role("button", name="Close", exact=True).click()
        page.locator("dialog").get_by_role("button", name="Close").click()
        expect(page.locator(".notice").first).to_have_text("The ticket was closed.")
        # Desk tells of it by a webhook.
        expect(page.locator(".timeline")).to_contain_text("ticket.closed")
        operator.check("demo-ticket")
        assert "market" in bots
        operator.show("#/bots")
        expect(page.locator("tbody tr").filter(has_text="connect_to_person").first).to_be_visible()
        operator.check("demo-bots")


def picture(browser, demo):
    """Makes docs/images/page.png anew, of the release build; only when it is named."""
    with Operator(browser, demo, "picture") as operator:
        operator.sign_in()
        operator.page.wait_for_timeout(PICTURE_MILLISECONDS)
        PICTURE.parent.mkdir(exist_ok=True)
        operator.page.screenshot(path=PICTURE)
    with Image.open(PICTURE) as image:
        image.convert("RGB").quantize(PICTURE_COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)


SCENES = [has_something_in_each_view, keeps_what_it_suggests]
ONLY_NAMED = [picture]
