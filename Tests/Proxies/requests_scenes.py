"""What well-behaved clients send, and what callers say of themselves."""
import concurrent.futures
import contextlib
import json
import pathlib
import re
import ssl
import time

from clients import ask, chunked, connect, read_reply, request
from recorder import Recorder
from replicas import SIGNED_APP, Service
from stage import AUTHORIZE, JSON_TYPE, PUSH_TOKEN, WEBHOOK, is_error, is_ok, public_paths
from waiting import wait_for

# How long the samples and the replicas wait for a request.
REQUEST_SECONDS = 10
BODY_LIMIT, WEBHOOK_LIMIT = 16 * 1024, 1024 * 1024


def passes_every_public_path(stage):
    """Whatever Deskgate serves to the public, but for its probes, is passed on; it gives each answer an id and the proxy gives its own none."""
    public = public_paths()
    assert AUTHORIZE in public
    for path in public:
        reply = stage.ask(request("POST", re.sub(r"\{\w+\}", "x", path), b"{}", JSON_TYPE))
        assert reply.status in (400, 403, 404, 405) and "x-request-id" in reply.headers, (path, reply)
    assert "x-request-id" not in ask(stage.proxy, request("POST", "/livez", b"{}", JSON_TYPE)).headers


def authorizes(stage):
    reply = stage.authorize()
    assert is_ok(reply), reply
    # The proxy's own id, with which a request is found in both logs.
    wait_for(lambda: any(reply.headers["x-request-id"] in line for line in stage.proxy.access_log()), "logs the request")
    is_error(stage.authorize(user_id="somebody-else"), 403, "denied")
    is_error(stage.authorize(user_id=""), 400)
    is_error(stage.ask(request("POST", AUTHORIZE, b"{", JSON_TYPE)), 400)
    is_error(stage.ask(request("GET", AUTHORIZE)), 405, "method_not_allowed")
    assert is_ok(stage.ask(chunked("POST", AUTHORIZE, stage.credentials(), JSON_TYPE)))


def takes_webhooks_byte_for_byte(stage):
    for send in (request, chunked):
        _, body = stage.comment(SIGNED_APP)
        reply = stage.ask(send("POST", WEBHOOK, body, JSON_TYPE, stage.signature(body)))
        assert is_ok(reply) and reply.json["status"] == "accepted", reply
        is_error(stage.ask(send("POST", WEBHOOK, body + b" ", JSON_TYPE, stage.signature(body))), 403)
        _, body = stage.comment()
        reply = stage.ask(send("POST", stage.secret_path, body, JSON_TYPE))
        assert is_ok(reply) and reply.json["status"] == "accepted", reply
        assert stage.ask(send("POST", stage.secret_path, body, JSON_TYPE)).json["status"] == "duplicate"
    is_error(stage.ask(request("POST", stage.secret_path[:-1] + ("B" if stage.secret_path.endswith("A") else "A"), body, JSON_TYPE)), 403)
    is_error(stage.ask(request("POST", stage.secret_path + "/x", body, JSON_TYPE)), 404)


def registers_devices(stage):
    body = stage.credentials(instance_id="phone-1", token="the-token-of-the-phone", type="ios")
    reply = stage.ask(request("POST", PUSH_TOKEN, body, JSON_TYPE))
    assert is_ok(reply) and reply.json["status"] in ("registered", "unchanged"), reply


def speaks_http2(stage):
    version, status, _ = stage.curl(AUTHORIZE, stage.credentials())
    assert (version, status) == ("2", 200), (version, status)
    _, body = stage.comment()
    version, status, answer = stage.curl(stage.secret_path, body)
    assert (version, status, json.loads(answer)["status"]) == ("2", 200, "accepted"), (version, status, answer)
    version, status, answer = stage.curl(AUTHORIZE, b" " * (BODY_LIMIT + 1))
    assert (version, status, json.loads(answer)["error"]) == ("2", 413, "body_too_large"), (version, status, answer)


def limits_bodies(stage):
    def padded(body, size):
        return body + b" " * (size - len(body))

    for send in (request, chunked):
        assert is_ok(stage.ask(send("POST", AUTHORIZE, padded(stage.credentials(), BODY_LIMIT), JSON_TYPE)))
        _, body = stage.comment()
        assert is_ok(stage.ask(send("POST", stage.secret_path, padded(body, WEBHOOK_LIMIT), JSON_TYPE)))
        for path, size in [(AUTHORIZE, BODY_LIMIT + 1), (stage.secret_path, WEBHOOK_LIMIT + 1), (AUTHORIZE, WEBHOOK_LIMIT)]:
            is_error(stage.ask(send("POST", path, b" " * size, JSON_TYPE)), 413, "body_too_large")
    # None of them brought a replica down or its connections out of step.
    assert is_ok(stage.authorize())


def bears_slow_clients(stage):
    def slowly():
        """A client that sends in pieces. Returns whether the request was in time."""
        begun = time.monotonic()
        reply = None
        with connect(stage.proxy) as connection, contextlib.suppress(ConnectionError, ssl.SSLError):
            for start in range(0, len(body), 60):
                connection.sendall(body[start:start + 60])
                time.sleep(0.2)
            reply = read_reply(connection)
        # On a busy machine a client may be slower than it means to be.
        assert is_ok(reply) or stage.has_no_replica(reply) or time.monotonic() - begun >= REQUEST_SECONDS, reply
        return is_ok(reply)

    def stalled(data):
        """A client that stops in the middle."""
        with connect(stage.proxy) as connection:
            connection.sendall(data)
            reply = read_reply(connection)
        # A proxy without a replica need not wait for the rest.
        assert reply is None or reply.status in (400, 408) or stage.has_no_replica(reply), reply

    before = [replica.answered('listener="public"', f'route="{AUTHORIZE}"', 'code="200"') for replica in stage.site.replicas]
    body, webhook = stage.authorization(), stage.webhook()
    with concurrent.futures.ThreadPoolExecutor() as threads:
        works = [threads.submit(stalled, data) for data in (body[:20], body[:-20], webhook[:60], webhook[:-20])]
        works.append(threads.submit(wait_for, slowly, "answers a slow client"))
        for work in works:
            work.result()
    after = [replica.answered('listener="public"', f'route="{AUTHORIZE}"', 'code="200"') for replica in stage.site.replicas]
    # Only the slow one was complete.
    assert sum(after) == sum(before) + 1, (before, after)


def keeps_connections(stage):
    recorder = Recorder()
    proxy = stage.front(recorder.address)

    def is_answered():
        """Sends requests on one connection. Returns false when the proxy has no replica meanwhile."""
        recorder.forget()
        with connect(proxy) as connection:
            for _ in range(20):
                connection.sendall(stage.authorization())
                reply = read_reply(connection)
                if stage.has_no_replica(reply):
                    return False
                assert is_ok(reply), reply
        return True

    wait_for(is_answered, "is answered by a replica")
    # A connection that has been idle for some seconds may be closed.
    assert len(recorder.requests) == 20 and recorder.connections <= 10, (len(recorder.requests), recorder.connections)
    assert not recorder.faults, recorder.faults
    recorder.shutdown()


def replaces_what_callers_say_of_themselves(stage):
    recorder = Recorder()
    proxy = stage.front(recorder.address)
    said = ["X-Forwarded-For: 192.0.2.7", "X-Forwarded-For: 192.0.2.8", "Forwarded: for=192.0.2.7", "X-Request-Id: mine", "X_Forwarded_For: 192.0.2.9"]
    assert is_ok(stage.ask(request("POST", AUTHORIZE, b"{}", JSON_TYPE, *said), proxy, source="127.0.0.2"))
    (first, headers, body), = recorder.requests
    assert (first, body) == (b"POST /pyrus/authorize HTTP/1.1", b"{}")
    assert headers[b"x-forwarded-for"] == [b"127.0.0.2"], headers
    assert headers[b"x-request-id"] != [b"mine"] and b"forwarded" not in headers, headers
    # Caddy passes such names on; Deskgate reads none that has an underscore.
    assert stage.kind == "caddy" or not any(b"_" in name for name in headers), headers
    assert not recorder.faults, recorder.faults
    recorder.shutdown()


def tells_the_clients_address(stage):
    """`listen.allow` behind a trusted proxy is about the client, over TCP and over a Unix socket, whatever the client says."""
    socket_path = str(stage.directory / "public.sock")
    rules = {"allow": ["127.0.0.2/32"]}
    over_tcp = Service(stage.site, f"{stage.kind}-tcp", listen={**rules, "trusted_proxies": ["127.0.0.1/32"]}, store={"type": "memory"}).start()
    over_unix = Service(stage.site, f"{stage.kind}-unix", store={"type": "memory"})
    over_unix.config["listen"] = {"unix": socket_path, **rules, "trusted_proxies": ["unix"]}
    over_unix.change()
    over_unix.start()
    pathlib.Path(socket_path).chmod(0o777)
    try:
        for service, upstream in [(over_tcp, f"127.0.0.1:{over_tcp.port}"), (over_unix, socket_path)]:
            proxy = stage.front(upstream)
            wait_for(lambda: is_ok(stage.authorize(proxy, source="127.0.0.2")), "lets in whom the list names")
            is_error(stage.authorize(proxy, source="127.0.0.3"), 403, "forbidden_network")
            for header in ["X-Forwarded-For: 127.0.0.2", "Forwarded: for=127.0.0.2", "X-Forwarded-For: 127.0.0.2, 127.0.0.1", "X-Real-IP: 127.0.0.2"]:
                data = request("POST", AUTHORIZE, stage.credentials(), JSON_TYPE, header)
                is_error(stage.ask(data, proxy, source="127.0.0.3"), 403, "forbidden_network")
                assert is_ok(stage.ask(data, proxy, source="127.0.0.2"))
            wait_for(lambda: '"client":"127.0.0.3"' in service.log.read_text(), "logs the address that was refused")
    finally:
        over_tcp.stop()
        over_unix.stop()
