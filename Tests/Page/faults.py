"""The page while something beneath it fails: the store, the clock; and two operators or two services at once."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from playwright.sync_api import expect

import service as seeded
from browser import Operator
from ports import free_port
from waiting import PATIENCE_SECONDS, wait_for

HOUR = 3600
NOBODY = 65534


class Postgres:
    """A PostgreSQL server with data of its own. It does not run as root, so with root's rights it runs as nobody."""

    def __init__(self, directory):
        self.directory = directory
        self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        if self.user:
            os.chown(directory, NOBODY, NOBODY)
        self.port = free_port()
        self.log = directory / "log.txt"
        self.programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        subprocess.run(
            [self.programs / "initdb", "-D", directory / "data", "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"],
            check=True, stdout=subprocess.DEVNULL, cwd=directory, **self.user)
        self.process = None

    @property
    def url(self):
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres?sslmode=disable"

    def start(self):
        settings = ["listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.directory}", "fsync=off"]
        options = [word for setting in settings for word in ("-c", setting)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.directory / "data", *options], stdout=log, stderr=log, cwd=self.directory, **self.user)
        wait_for(lambda: self.process.poll() is not None or "ready to accept" in self.log.read_text(), "starts PostgreSQL")
        if self.process.poll() is not None:
            raise AssertionError(f"PostgreSQL does not start:\n{self.log.read_text()}")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(PATIENCE_SECONDS)
            self.process = None


@contextlib.contextmanager
def running(directory):
    """A service whose store is a PostgreSQL server that the scenes may stop: `service.postgres`."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="deskgate-page-"))
    postgres = Postgres(place)
    try:
        postgres.start()

        def arrange(service):
            (service.directory / "secrets/store-url").write_text(postgres.url)
            (service.directory / "secrets/store-url").chmod(0o600)
            service.config["store"] = {"type": "postgres", "url": {"file": "secrets/store-url"}}
            service.config["apps"][0]["notifiers"] = ["backend", "log"]
            for name in ("crm", "archive", "billing"):
                del service.config["notifiers"][name]

        with seeded.running(directory, arrange) as service:
            service.postgres = postgres
            service.register("user-1", "phone-1", "android")
            for number in range(3):
                service.comment("user-1", 4000, 9000 + number, "phone-1")
            service.good_key = service.key("user-1")
            service.traffic(service.good_key)
            service.wait_for(lambda: sum(service.groups().values()) == 3, "is refused by FCM")
            yield service
    finally:
        postgres.stop()
        shutil.rmtree(place)


def says_that_the_store_is_away(browser, service):
    with Operator(browser, service) as operator:
        operator.allowed = ["status of 503"]
        page = operator.page
        operator.sign_in()
        expect(page.locator(".problems")).not_to_contain_text("store")
        service.postgres.stop()
        expect(page.locator(".problems")).to_contain_text("The store cannot be used")
        expect(page.locator(".problems")).to_contain_text("Chats are authorized with the revocations of")
        assert service.authorize("user-1", service.good_key) == 200
        operator.check("store-away-now")
        for view in ["dead", "people"]:
            operator.show(f"#/{view}")
            expect(page.locator(".trouble").first).to_contain_text("The store cannot answer now.")
            operator.check(f"store-away-{view}")
        operator.show("#/store")
        expect(page.locator(".badge.bad").first).to_be_visible()
        operator.show("#/people")
        service.postgres.start()
        # It recovers without anybody's doing.
        expect(page.locator("table").first).to_be_visible()
        expect(page.locator(".trouble")).to_have_count(0)
        operator.show("#/now")
        expect(page.locator(".problems, .fine").first).to_be_visible()
        expect(page.locator("#content")).not_to_contain_text("The store cannot be used")


def tells_ages_by_the_service_when_the_clock_jumps(browser, service):
    with Operator(browser, service) as operator:
        page = operator.page
        operator.sign_in(address="#/keys")
        operator.settle()
        for seconds, told in [(25 * HOUR, "ahead of"), (-25 * HOUR, "behind"), (0, None)]:
            page.clock.set_system_time(time.time() + seconds)
            operator.show("#/store")
            operator.show("#/keys")
            used = page.locator("tbody tr").first
            expect(used).to_contain_text("ago")
            assert not re.search(r"\d (?:h|d)\b|in \d", used.inner_text()), used.inner_text()
            operator.show("#/now")
            if told:
                expect(page.locator(".problems")).to_contain_text(re.compile(f"This browser’s clock is 1 d 1 h {told}|This browser’s clock is 1 d {told}"))
            else:
                expect(page.locator(".problems, .fine").first).to_be_visible()
                expect(page.locator("#content")).not_to_contain_text("This browser’s clock")


def tells_both_of_two_operators_who_retry(browser, service):
    count = sum(service.groups().values())
    with Operator(browser, service) as first, Operator(browser, service) as second:
        for operator in (first, second):
            operator.sign_in(address="#/dead")
            operator.page.get_by_role("button", name=re.compile("Retry all of fcm")).first.click()
            expect(operator.page.locator("dialog")).to_contain_text(f"Retry {count} deliveries?")
        # FCM's refusal stays, so the deliveries come back before the second operator retries what was counted before. They died anew, so they
        # are not what the second one has counted.
        for operator, texts in ((first, ("{0} deliveries are tried again.", "{0} were given up again.")), (second, ("0 of {0} are tried again.", "{0} are dead no more"))):
            operator.page.locator("dialog").get_by_role("button", name=f"Retry {count}").click()
            for text in texts:
                expect(operator.page.locator(".notice").first).to_contain_text(text.format(count))


def stays_signed_in_to_two_services_at_one_host(browser, service):
    with tempfile.TemporaryDirectory() as directory, seeded.running(directory) as other, Operator(browser, service) as operator:
        operator.sign_in()
        page = operator.context.new_page()
        page.goto(f"{other.admin}/")
        field = page.locator("input[type=password]")
        field.fill(other.tokens["operate"])
        field.press("Enter")
        expect(page.locator("#shell")).to_be_visible()
        operator.page.reload()
        expect(operator.page.locator("#shell")).to_be_visible()
        page.locator("#sign-out").click()
        expect(page.locator("#entrance")).to_be_visible()
        operator.page.reload()
        expect(operator.page.locator("#shell")).to_be_visible()
        assert len(operator.context.cookies()) == 1


SCENES = [
    tells_ages_by_the_service_when_the_clock_jumps, stays_signed_in_to_two_services_at_one_host, tells_both_of_two_operators_who_retry,
    says_that_the_store_is_away,
]
