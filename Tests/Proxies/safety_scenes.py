"""What strangers send: hidden requests, ways to the operators, and whatever would write a secret into a log."""
import concurrent.futures
import contextlib
import json
import re
import socket
import ssl

import smuggling
from clients import Frames, ask_directly, chunked, connect, provoke, provoke_http2, read_reply, receive, request
from ports import free_port
from recorder import Recorder
from replicas import Service
from stage import AUTHORIZE, JSON_TYPE, PUSH_TOKEN, WEBHOOK, is_ok, public_paths
from waiting import PATIENCE_SECONDS, wait_for

# What a model may have a bot ask for, in a query.
ARGUMENT = "an-argument-of-a-model"


def bounds_each_address(stage):
    """An address with many requests under way gets no further ones, and another address is served all the same."""
    if stage.kind == "caddy":
        return
    unfinished = stage.authorization()[:-20]
    with contextlib.ExitStack() as stack:
        refused = 0
        for _ in range(201):
            try:
                connection = stack.enter_context(connect(stage.proxy, source="127.0.0.2"))
                connection.sendall(unfinished)
            except (ConnectionError, ssl.SSLError):
                refused += 1

        # nginx answers 503 when it has read the head; HAProxy closes the connection before its handshake.
        def is_refused():
            try:
                with connect(stage.proxy, source="127.0.0.2") as connection:
                    connection.sendall(stage.authorization())
                    reply = read_reply(connection)
            except (ConnectionError, ssl.SSLError):
                return True
            return reply is None or reply.status == 503

        wait_for(lambda: refused > 0 or is_refused(), "refuses an address with too many")
        assert is_ok(stage.authorize(source="127.0.0.3"))


def finds_hidden_requests(stage):
    """The recorder notices a hidden request, and one that is ambiguous, when no proxy stands before it."""
    recorder = Recorder()
    for address, data in [
            (recorder.server_address, smuggling.POST + b"Content-Length: 0\r\nX-Forwarded-For: x\r\n\r\n" + smuggling.hidden_request(smuggling.REFUSED_PATH)),
            (recorder.server_address, smuggling.http1(smuggling.REFUSED_PATH)["CL.TE"])]:
        with socket.create_connection(address, timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while receive(connection):
                pass
    assert any(b"x-hidden" in headers for _, headers, _ in recorder.requests), recorder.requests
    assert recorder.faults == ["a length and chunks"], recorder.faults
    recorder.shutdown()


def passes_no_hidden_request(stage):
    """Neither the service nor a strict reader finds a request that the proxy has not seen."""
    recorder = Recorder()
    service = Service(stage.site, f"{stage.kind}-hidden", store={"type": "memory"}).start()
    before_service, before_recorder = stage.front(f"127.0.0.1:{service.port}"), stage.front(recorder.address)
    wait_for(lambda: is_ok(stage.authorize(before_service)), "authorizes")
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        for target, path in [(before_service, smuggling.SERVED_PATH), (before_recorder, smuggling.REFUSED_PATH)]:
            list(threads.map(lambda data: provoke(target, data), smuggling.http1(path).values()))
            list(threads.map(lambda data: provoke_http2(target, data), smuggling.http2(path).values()))
    # From here on the proxies send nothing and have logged everything.
    before_service.finish()
    before_recorder.finish()
    recorder.read_all()
    # The service takes connections in their order, so it has taken those of the proxy.
    assert is_ok(ask_directly(service, stage.authorization()))
    wait_for(lambda: service.metric("deskgate_http_connections", 'listener="public"') == 0, "has no connection any more")
    # A request that follows a well-formed one is one of its own, which the proxy has seen. The client may go before it has the answer.
    answered = service.answered('listener="public"', f'route="{AUTHORIZE}"', 'code="405"')
    lines = [json.loads(line) for line in before_service.access_log()]
    seen = sum('"GET"' in json.dumps(line) and str(line["status"]) in ("405", "499", "-1", "0", "502") for line in lines)
    service.stop()
    assert 0 < answered <= seen, (answered, seen)
    assert not recorder.faults, recorder.faults
    found = [first for first, headers, _ in recorder.requests if b"x-hidden" in headers or smuggling.REFUSED_PATH.encode() in first.split()[1:2]]
    assert not found, found
    assert recorder.requests
    recorder.shutdown()


def keeps_operators_apart(stage):
    """Nothing that is sent to the proxy reaches the admin listener."""
    admin = stage.site.replicas[0].admin
    before = stage.site.replicas[0].answered('listener="admin"')
    bearer = f"Authorization: Bearer {stage.site.token}"
    paths = [
        "/", "/metrics", "/v1/status", "/v1/keys", "/openapi.json", "/livez", "/readyz", "//metrics", "/pyrus/../metrics", "/pyrus/%2e%2e/metrics",
        "/pyrus/webhook/../../metrics", "/pyrus/webhook/..%2f..%2fmetrics", "/pyrus/webhook/%2e%2e/%2e%2e/v1/status", "/pyrus/authorize/..;/metrics",
        "/pyrus/authorize%2f..%2f..%2fmetrics", "/pyrus/webhook/x%00/../../../metrics", "/pyrus/authorize\\..\\..\\metrics", "/%6detrics",
        f"//127.0.0.1:{admin}/metrics", f"http://127.0.0.1:{admin}/metrics", f"http://127.0.0.1:{admin}/pyrus/authorize",
        f"https://127.0.0.1:{admin}/v1/status", f"@127.0.0.1:{admin}/metrics", f"/pyrus/authorize@127.0.0.1:{admin}/metrics", "*",
        f"/pyrus/authorize#@127.0.0.1:{admin}/metrics", f"127.0.0.1:{admin}",
    ]
    requests = [request(method, path, b"", bearer) for path in paths for method in ("GET", "POST", "OPTIONS")]
    requests += [
        request("CONNECT", f"127.0.0.1:{admin}", b"", bearer),
        request("GET", "/metrics", b"", bearer).replace(b"Host: deskgate.example.com", f"Host: 127.0.0.1:{admin}".encode()),
        request("GET", "/metrics", b"", bearer).replace(b"Host: deskgate.example.com", b"Host: localhost"),
        request("GET", "/metrics", b"", bearer).replace(b"Host: deskgate.example.com\r\n", b""),
        request("POST", AUTHORIZE, b"", bearer, f"X-Forwarded-Host: 127.0.0.1:{admin}", "X-Original-URL: /metrics", "X-Rewrite-URL: /metrics"),
    ]
    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        for data, answer in zip(requests, threads.map(lambda data: provoke(stage.proxy, data), requests)):
            assert b"deskgate_http_requests_total" not in answer and b'"version"' not in answer and b"openapi" not in answer, (data, answer)
            status = answer[9:12]
            # Caddy answers this by itself.
            is_for_the_proxy = data.startswith(b"OPTIONS * ")
            expected = [b"", b"400", b"403", b"404", b"405", b"421", b"501"] + [b"200"] * is_for_the_proxy + [b"503"] * stage.has_checks
            assert status in expected, (data, answer)
    assert stage.site.replicas[0].answered('listener="admin"') == before + 1


def refuses_large_heads(stage):
    """From some size on every head is refused; smaller ones are answered, and none of a size between makes a failure."""
    def reached():
        return sum(replica.answered('listener="public"', "/pyrus/") for replica in stage.site.replicas)

    statuses = []
    for count in range(2, 24):
        fields = [f"X-{number}: {'x' * 990}" for number in range(count)]
        reply = stage.ask(request("POST", AUTHORIZE, stage.credentials(), JSON_TYPE, *fields))
        statuses.append(reply.status if reply else 431)
    first_refused = next(index for index, status in enumerate(statuses) if status != 200)
    assert first_refused > 2 and all(status in (400, 414, 431) for status in statuses[first_refused:]), statuses
    before = reached()
    long = "x" * 20_000
    for data in [
            request("POST", AUTHORIZE, b"{}", f"X: {long}"), request("POST", AUTHORIZE, b"{}", *(f"X-{n}: {'x' * 200}" for n in range(90))),
            request("POST", f"{WEBHOOK}/{long}", b"{}"), request("POST", f"{AUTHORIZE}?{long}", b"{}")]:
        answer = provoke(stage.proxy, data)
        assert not answer or answer[9:12] in (b"400", b"413", b"414", b"431"), answer
    assert reached() == before
    assert is_ok(stage.authorize())


def knows_only_its_own_names(stage):
    data = request("POST", AUTHORIZE, stage.credentials(), JSON_TYPE).replace(b"Host: deskgate.example.com", b"Host: example.org")
    answer = provoke(stage.proxy, data)
    # nginx and HAProxy have one site for every name; an answer that nobody has decided on must not be 200.
    assert b"200" not in answer[:15] or stage.kind != "caddy", answer
    answer = provoke(stage.proxy, data.replace(stage.site.key.encode(), stage.site.key.encode()[::-1]))
    assert answer[9:12] in [b"", b"400", b"403", b"404"] + [b"503"] * stage.has_checks, answer


def provoke_errors(stage, proxy):
    """Sends requests with an argument in the query or a secret in the path that fail, each in another way."""
    function, secret, large = f"/bots/orders/functions/shows?order={ARGUMENT}", stage.site.webhook_secret, b"x" * 1_500_000
    for data in [
            request("GET", function), request("POST", function, b"{}", JSON_TYPE), request("POST", function, large), chunked("POST", function, large),
            request("POST", function, b"", "Content-Length: 999999999", length=False), request("POST", f"/bots/orders/call?order={ARGUMENT}", large),
            request("POST", f"/bots/ORDERS/other?order={ARGUMENT}", large), request("GET", f"{function}{'x' * 5000}"),
            request("GET", function, b"", "Host: other.example"), request("GET", f"{function}%00"), request("GET", function, b"", f"X: {'x' * 9000}"),
            request("POST", f"/pyrus/webhooks/{secret}", large), request("POST", f"/pyrus/Webhook/{secret}", large),
            request("POST", f"{WEBHOOK}/{secret}", large), chunked("POST", f"{WEBHOOK}/{secret}", large)]:
        provoke(proxy, data)
    fields = [(":method", "POST"), (":scheme", "https"), (":authority", "deskgate.example.com"), (":path", function)]
    provoke_http2(proxy, Frames.post([*fields, ("content-length", "999999999")]))
    provoke_http2(proxy, Frames.post(fields, b"{}"))


def logs_no_arguments(stage):
    """Neither the arguments of a bot's function nor the secret in a mistyped path reach a log when the request fails."""
    away = stage.front(f"127.0.0.1:{free_port()}")
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda proxy: provoke_errors(stage, proxy), (away, stage.proxy)))
    away.finish()
    for name, text in away.logs().items():
        for hidden in (ARGUMENT, stage.site.webhook_secret):
            assert hidden not in text, f"{name}: {[line for line in text.splitlines() if hidden in line][:2]}"


def keeps_secrets_out_of_logs(stage):
    """Last of all: whatever the other scenes have provoked, no file of the proxy has a secret, and each request has its line."""
    lines = [json.loads(line) for proxy in stage.proxies for line in proxy.access_log()]
    shown = [line.get("path") or line["request"]["uri"] if "path" in line or "request" in line else "" for line in lines]
    for path in (AUTHORIZE, WEBHOOK, PUSH_TOKEN):
        assert path in shown, (path, set(shown))
    # A path with a secret or an app in it is shown without, and what nobody knows not at all.
    known = {re.sub(r"/\{[^}]*\}", "", path) for path in public_paths()}
    # Some proxies show the tickets' paths as one, and all those of bots.
    known |= {"/sendbird/tickets", "/bots", "-", ""}
    assert set(shown) <= known, set(shown) - known
    total = 0
    for proxy in stage.proxies:
        for name, text in proxy.logs().items():
            total += len(text)
            for secret in [*stage.site.secrets, ARGUMENT]:
                assert secret not in text, f"{name}: {[line for line in text.splitlines() if secret in line][:2]}"
    assert total > 10_000
