"""The session of the page in several tabs of a browser, and beside another program of the host, to which the browser sends the cookie, too."""
import contextlib
import http.server
import threading
import urllib.parse

from playwright.sync_api import expect

from browser import Operator
from service import APP

PERSON = {"app_id": APP, "user_id": "user-91"}
STANDING = f"/v1/users?{urllib.parse.urlencode(PERSON)}"


SECRET = "() => sessionStorage.getItem('deskgate-session')"


class Listening(http.server.BaseHTTPRequestHandler):
    """Keeps the cookies of requests, and sets one."""

    def do_GET(self):
        self.server.cookies += self.headers.get_all("Cookie", [])
        page = b"<!doctype html><title>Another program</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if self.server.cookie:
            self.send_header("Set-Cookie", self.server.cookie)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def neighbour():
    """Another program at another port of the same host."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    server.daemon_threads = True
    server.cookies, server.cookie = [], None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def gives_a_neighbour_nothing_to_act_with(browser, service):
    with neighbour() as other, Operator(browser, service) as operator:
        operator.sign_in()
        page = operator.context.new_page()
        page.goto(f"http://127.0.0.1:{other.server_port}/")
        [cookie] = set(other.cookies)
        assert cookie.startswith("deskgate_session_"), cookie
        forged = {"Cookie": cookie, "Origin": service.admin, "Sec-Fetch-Site": "same-origin"}
        for method, path, body in [
            ("POST", "/v1/users/block", PERSON), ("GET", STANDING, None), ("DELETE", "/v1/deliveries?state=dead", None), ("DELETE", "/session", None),
        ]:
            status, answer = service.send(service.admin, method, path, body, forged)
            assert (status, answer["error"]) == (401, "session_secret_missing"), (method, path, status, answer)
        assert service.ask("GET", STANDING)[1]["may_chat"]
        # Nothing else is wrong with the forged request.
        own = operator.page.evaluate(SECRET)
        status, answer = service.send(service.admin, "POST", "/v1/users/block", PERSON, forged | {"Deskgate-Session-Secret": own})
        assert status == 200, answer
        assert service.ask("POST", "/v1/users/unblock", PERSON)[0] == 200
        # Its page hears nothing of what the tabs of the operators' page tell each other.
        page.evaluate("""() => {
            window.heard = [];
            window.tabs = new BroadcastChannel("deskgate-session");
            window.tabs.onmessage = ({ data }) => window.heard.push(data);
            window.tabs.postMessage(null);
        }""")
        tab = operator.context.new_page()
        tab.goto(f"{service.admin}/")
        expect(tab.locator("#shell")).to_be_visible()
        assert page.evaluate("() => [window.heard.length, sessionStorage.length]") == [0, 0]


def bears_a_cookie_that_a_neighbour_sets(browser, service):
    with neighbour() as other, Operator(browser, service) as operator:
        operator.sign_in(address="#/keys")
        [own] = operator.context.cookies()
        # The browser sends a longer path first.
        other.cookie = f"{own['name']}=x; Path=/v1"
        tab = operator.context.new_page()
        tab.goto(f"http://127.0.0.1:{other.server_port}/")
        assert [cookie["name"] for cookie in operator.context.cookies()] == [own["name"]] * 2
        operator.show("#/dead")
        expect(operator.page.locator("#content h1")).to_have_text("Dead letters")
        expect(operator.page.locator(".trouble")).to_have_count(0)


def shares_a_session_among_tabs(browser, service):
    with Operator(browser, service) as operator:
        operator.allowed = ["status of 401"]
        page = operator.page
        operator.sign_in(address="#/keys")
        tab = operator.context.new_page()
        tab.goto(f"{service.admin}/#/store")
        expect(tab.locator("#content h1")).to_have_text("Replicas and store")
        tab.reload()
        expect(tab.locator("#content h1")).to_have_text("Replicas and store")
        # One signs out for all.
        tab.locator("#sign-out").click()
        expect(tab.locator("#entrance")).to_be_visible()
        page.evaluate("() => { location.hash = '#/dead'; }")
        expect(page.locator("#entrance-error")).to_contain_text("The session has ended.")
        # One signs in for all.
        tab.locator("input[type=password]").fill(service.tokens["read"])
        tab.keyboard.press("Enter")
        expect(page.locator("#content h1")).to_have_text("Dead letters")
        expect(page.locator("#role")).to_have_text("Reading")


def follows_a_tab_that_signs_in_again(browser, service):
    with Operator(browser, service) as operator:
        operator.allowed = ["status of 401"]
        page = operator.page
        operator.sign_in(address=f"#/people?{urllib.parse.urlencode(PERSON)}")
        operator.settle()
        page.evaluate("""() => {
            const entrance = document.getElementById("entrance");
            window.wasSignedOut = false;
            new MutationObserver(() => { window.wasSignedOut ||= !entrance.hidden; }).observe(entrance, { attributes: true });
        }""")
        tab = operator.context.new_page()
        tab.goto(f"{service.admin}/")
        expect(tab.locator("#shell")).to_be_visible()

        def sign_in_again(role):
            tab.locator("#sign-out").click()
            expect(tab.locator("#entrance")).to_be_visible()
            tab.locator("input[type=password]").fill(service.tokens[role])
            tab.keyboard.press("Enter")
            expect(tab.locator("#shell")).to_be_visible()
            operator.wait_until(lambda: page.evaluate(SECRET) == tab.evaluate(SECRET), "has the new session")

        def choose(action):
            page.locator(".actions").get_by_role("button", name=action, exact=True).click()

        def confirm(action):
            page.locator("dialog").get_by_role("button", name=action, exact=True).click()
            expect(page.locator("dialog")).to_have_count(0)

        # With the same token, a dialog stays open and acts with the new session.
        former = page.evaluate(SECRET)
        view = page.locator(".view").element_handle()
        choose("Block")
        sign_in_again("operate")
        assert view.evaluate("view => view.isConnected")
        confirm("Block")
        assert not service.ask("GET", STANDING)[1]["may_chat"]
        # A request of the former session ends nothing.
        status = page.evaluate("""async (secret) => {
            const { ask } = await import("/page/api.js");
            return ask("/v1/status", { secret }).catch((error) => error.status);
        }""", former)
        assert status == 401, status
        # With another token, the view is made anew with its role.
        sign_in_again("read")
        expect(page.locator("#role")).to_have_text("Reading")
        expect(page.locator(".actions")).to_have_count(0)
        sign_in_again("operate")
        expect(page.locator("#role")).to_have_text("Operating")
        choose("Unblock")
        confirm("Unblock")
        assert service.ask("GET", STANDING)[1]["may_chat"]
        assert not page.evaluate("() => window.wasSignedOut")


def asks_for_the_token_when_no_tab_is_left(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in()
        operator.page.close()
        assert len(operator.context.cookies()) == 1
        page = operator.context.new_page()
        page.goto(f"{service.admin}/")
        expect(page.locator("#entrance")).to_be_visible()
        page.locator("input[type=password]").fill(service.tokens["operate"])
        page.keyboard.press("Enter")
        expect(page.locator("#shell")).to_be_visible()


def shows_json_of_this_service_alone(browser, service):
    with Operator(browser, service) as operator:
        operator.sign_in()
        for path in ["//stranger.example/v1/status", "https://stranger.example/v1/status", "/session"]:
            operator.show(f"#/json?{urllib.parse.urlencode({'path': path})}")
            expect(operator.page.locator("#content h1")).to_have_text("JSON")
            expect(operator.page.locator("pre")).to_have_count(0)


SCENES = [
    gives_a_neighbour_nothing_to_act_with, bears_a_cookie_that_a_neighbour_sets, shares_a_session_among_tabs, follows_a_tab_that_signs_in_again,
    asks_for_the_token_when_no_tab_is_left, shows_json_of_this_service_alone,
]
