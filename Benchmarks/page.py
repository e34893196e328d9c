"""What operators ask beside a full load: each view's requests among a million deliveries, and what that costs authorizations."""

import http.client
import itertools
import json
import os
import statistics
import threading
import time
from urllib.parse import urlencode

from database import Database
from history import DELIVERIES, NOTIFIERS, QUICK_DELIVERIES, SELDOM_COMMENT, SELDOM_TICKET, SELDOM_USER, History
from load import BadAnswers, Wrk, authorizations
from report import Target, table
from service import Service
from webhooks import CONCURRENCY, Webhooks

# Milliseconds within which each request of a view is answered, and the share of the authorizations a second that an open page may cost.
WITHIN, LOSS = 300, 0.03
# Seconds of the load beside which the requests are asked, one after another.
LOADED, QUICK_LOADED = 60, 10
# Connections with authorizations, beside those with webhooks.
BESIDE = 16
# Seconds between two readings of the metrics by the charts, and between two requests of somebody who walks through the views.
CHARTS, WALKING = 3, 1
# How many times as long a round is as others, so that somebody gets through some views.
LONGER = 2


def views(app, delivery):
    """The requests of each view, by what a person looks for."""
    def path(base, **values):
        return f"{base}?{urlencode(values)}" if values else base

    deliveries, explain = "/v1/deliveries", "/v1/explain"
    return {
        "now": "/metrics",
        "status": "/v1/status",
        "notifiers": "/v1/notifiers",
        "configuration": "/v1/configuration",
        "dead letters": path(f"{deliveries}/reasons"),
        "dead letters of a reason": path(f"{deliveries}/reasons", notifier="crm", reason="tls"),
        "dead letters of no reason there is": path(f"{deliveries}/reasons", reason="nowhere"),
        "a list of dead letters": path(deliveries, state="dead", notifier="crm", reason="tls", limit=100),
        "a list of what waits": path(deliveries, state="pending", limit=100),
        "the newest 1000": path(deliveries, limit=1000),
        "a reason that nothing has": path(deliveries, reason="nowhere"),
        "a person": path(deliveries, app_id=app, user_id="user-77", limit=50),
        "a person seldom heard of": path(deliveries, app_id=app, user_id=SELDOM_USER, limit=50),
        "a ticket": path(deliveries, app_id=app, ticket_id=1007, limit=30),
        "a ticket long closed": path(deliveries, app_id=app, ticket_id=SELDOM_TICKET, limit=30),
        "a comment": path(deliveries, app_id=app, comment_id=SELDOM_COMMENT, limit=1),
        "a delivery": f"{deliveries}/{delivery}",
        "why: a person": path(explain, app_id=app, user_id="user-77"),
        "why: a person seldom heard of": path(explain, app_id=app, user_id=SELDOM_USER),
        "why: a comment": path(explain, app_id=app, comment_id=SELDOM_COMMENT),
        "why: a device": path(explain, app_id=app, device_id="device-77"),
        "why: a delivery": path(explain, delivery_id=delivery),
        "why: a key": path(explain, app_id=app, security_key="dgk1.AAAA"),
        "everything of a person": path("/v1/users", app_id=app, user_id="user-77"),
        "everything of a person seldom heard of": path("/v1/users", app_id=app, user_id=SELDOM_USER),
        "people": path("/v1/push-tokens", app_id=app, limit=100),
        "a device of anybody": path("/v1/push-tokens", app_id=app, device_id="nowhere"),
        "revocations": path("/v1/revocations", limit=100),
    }


class Operator:
    """Somebody with an admin token."""

    def __init__(self, service):
        self.port = service.admin_port
        self.headers = {"Authorization": "Bearer " + service.workspace.directory.joinpath("admin-token").read_text()}

    def ask(self, path):
        """The milliseconds until the whole answer is there, and the answer."""
        connection, began = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60), time.monotonic()
        try:
            connection.request("GET", path, headers=self.headers)
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise BadAnswers(f"{path.partition('?')[0]}: {response.status} {body[:200].decode(errors='replace')}")
        return (time.monotonic() - began) * 1e3, body

    def delivery(self):
        """The id of one."""
        return json.loads(self.ask("/v1/deliveries?limit=1")[1])["deliveries"][0]["id"]


class OpenPage:
    """The page in a browser, from its opening to its closing: charts that read the metrics, and somebody who walks through the views."""

    def __init__(self, operator, paths):
        self.operator, self.paths, self.isClosed, self.failure = operator, itertools.cycle(paths), threading.Event(), None
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self):
        try:
            charts = time.monotonic()
            while not self.isClosed.wait(WALKING):
                self.operator.ask(next(self.paths))
                if time.monotonic() >= charts:
                    self.operator.ask("/metrics")
                    charts += CHARTS
        except Exception as failure:
            self.failure = failure

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.isClosed.set()
        self.thread.join()
        if self.failure is not None:
            raise self.failure


class Page(Webhooks):
    """The state of this part."""

    def __init__(self, options, workspace):
        super().__init__(options, workspace)
        self.history = History(QUICK_DELIVERIES if options.quick else DELIVERIES)

    def service(self, name, store=None):
        """A service whose notifiers' receivers refuse connections, so that deliveries wait."""
        notifiers = {
            notifier: {"type": "http", "url": self.sink.url, "secret": secret, "concurrency": CONCURRENCY}
            for notifier, secret in zip(NOTIFIERS, self.many)
        }
        app = {"webhook": {"secret": self.proof}, "notifiers": list(NOTIFIERS[:1])}
        return Service(self.options, self.workspace, f"page-{name}", app, store=store, notifiers=notifiers)

    def authorize(self, service):
        """Authorizations a second; not beside webhooks, which take turns with them in a way that varies by more than the page costs."""
        report = Wrk(service.port, LONGER * self.options.seconds, authorizations(self.workspace.bodies, BESIDE), self.cores, 1).report()
        return report["requests"] / report["microseconds"] * 1e6

    def answers(self, service, operator, paths):
        """The milliseconds of each view's request, asked one after another as long as a load of webhooks and authorizations lasts."""
        seconds = QUICK_LOADED if self.options.quick else LOADED
        loads = [
            Wrk(service.port, seconds, load, self.cores, 1) for load in (self.load(), authorizations(self.workspace.bodies, BESIDE))]
        ended, taken = time.monotonic() + seconds - 1, {name: [] for name in paths}
        time.sleep(1)
        for name, path in itertools.cycle(paths.items()):
            if time.monotonic() > ended:
                break
            taken[name].append(operator.ask(path)[0])
        if not all(taken.values()):
            raise RuntimeError(f"the views took longer than {seconds} s, each asked once")
        rates = [report["requests"] / report["microseconds"] * 1e6 for report in (load.report() for load in loads)]
        print("beside {:,.0f} webhooks/s and {:,.0f} authorizations/s:\n".format(*rates), flush=True)
        return taken

    def rounds(self, service, operator, paths):
        """Authorizations a second with the page closed and open, in turn: a pair for each round."""
        pairs = []
        self.authorize(service)
        for number in range(self.options.rounds):
            rates = {}
            for isOpen in (False, True) if number % 2 == 0 else (True, False):
                if isOpen:
                    with OpenPage(operator, paths.values()):
                        rates[isOpen] = self.authorize(service)
                else:
                    rates[isOpen] = self.authorize(service)
            pairs.append((rates[False], rates[True]))
        return pairs

    def measure(self, name, fill, store=None):
        """Fills a store, and yields what was found."""
        service = self.service(name, store)
        with service:
            pass
        began = time.monotonic()
        fill(service)
        print(f"\n{name}: filling the store with {self.history.count:,} deliveries took {time.monotonic() - began:.0f} s", flush=True)
        with service:
            operator = Operator(service)
            paths = views(self.workspace.app_id, operator.delivery())
            alone = {view: statistics.median(operator.ask(path)[0] for _ in range(3)) for view, path in paths.items()}
            taken = self.answers(service, operator, paths)
            pairs = self.rounds(service, operator, paths)
        yield from report(name, alone, taken, pairs)


def report(name, alone, taken, pairs):
    rows = [(f"{name}: view", "ms alone", "median ms", "p99 ms", "worst ms")]
    for view, times in taken.items():
        ordered = sorted(times)
        rows.append((
            view, f"{alone[view]:.1f}", f"{statistics.median(times):.1f}", f"{ordered[int(len(ordered) * 0.99)]:.1f}", f"{ordered[-1]:.1f}"))
    print("\n".join(table(rows)), flush=True)
    rows = [("", "authorizations/s", "with the page", "ratio")]
    for number, (closed, opened) in enumerate(pairs):
        rows.append((f"round {number + 1}", f"{closed:,.0f}", f"{opened:,.0f}", f"{opened / closed:.3f}"))
    print()
    print("\n".join(table(rows)), flush=True)
    worst, view = max((max(times), view) for view, times in taken.items())
    yield Target(f"{name}: each view's requests within {WITHIN} ms beside a full load: the worst took {worst:.0f} ms ({view})", worst <= WITHIN)
    loss = 1 - statistics.median(opened / closed for closed, opened in pairs)
    yield Target(f"{name}: authorizations/s lost to an open page < {LOSS:.0%}: {loss:.1%}", loss < LOSS)


def run(options, workspace, stack):
    """Measures, prints, and gives the targets."""
    print("\n## The operators' page\n", flush=True)
    page = Page(options, workspace)
    targets = [*page.measure("SQLite", lambda service: page.history.fill_sqlite(service.database, workspace.app_id))]
    database = stack.enter_context(Database(workspace, os.sched_getaffinity(0)))
    store = {"type": "postgres", "url": workspace.write_secret("page-url", database.url)}
    return targets + [*page.measure("PostgreSQL", lambda _: page.history.fill_postgres(database, workspace.app_id), store)]
