"""What well-behaved clients send, and what callers say of themselves."""
import concurrent.futures
import json
import pathlib
import re
import time

from clients import ask, chunked, connect, curl, read_reply, request
from recorder import Recorder
from replicas import SIGNED_APP, Service
from stage import AUTHORIZE, JSON_TYPE, PUSH_TOKEN, WEBHOOK, is_error, public_paths
from waiting import wait_for

BODY_LIMIT, WEBHOOK_LIMIT = 16 * 1024, 1024 * 1024


def passes_every_public_path(stage):
    """Whatever Deskgate serves to the public, but for its probes, is passed on; it gives each answer an id and the proxy gives its own none."""
    public = public_paths()
    assert AUTHORIZE in public
    for path in public:
        reply = ask(stage.proxy, request("POST", re.sub(r"\{\w+\}", "x", path), b"{}", JSON_TYPE))
        assert reply.status in (400, 403, 404, 405) and "x-request-id" in reply.headers, (path, reply)
    assert "x-request-id" not in ask(stage.proxy, request("POST", "/livez", b"{}", JSON_TYPE)).headers


def authorizes(stage):
    reply = stage.authorize()
    assert reply.status == 200, reply
    # The proxy's own id, with which a request is found in both logs.
    wait_for(lambda: any(reply.headers["x-request-id"] in line for line in stage.proxy.access_log()), "logs the request")
    is_error(stage.authorize(user_id="somebody-else"), 403, "denied")
    is_error(stage.authorize(user_id=""), 400)
    is_error(ask(stage.proxy, request("POST", AUTHORIZE, b"{", JSON_TYPE)), 400)
    is_error(ask(stage.proxy, request("GET", AUTHORIZE)), 405, "method_not_allowed")
    assert ask(stage.proxy, chunked("POST", AUTHORIZE, stage.credentials(), JSON_TYPE)).status == 200


def takes_webhooks_byte_for_byte(stage):
    for send in (request, chunked):
        _, body = stage.comment(SIGNED_APP)
        reply = ask(stage.proxy, send("POST", WEBHOOK, body, JSON_TYPE, stage.signature(body)))
        assert reply.status == 200 and reply.json["status"] == "accepted", reply
        is_error(ask(stage.proxy, send("POST", WEBHOOK, body + b" ", JSON_TYPE, stage.signature(body))), 403)
        _, body = stage.comment()
        reply = ask(stage.proxy, send("POST", stage.secret_path, body, JSON_TYPE))
        assert reply.status == 200 and reply.json["status"] == "accepted", reply
        assert ask(stage.proxy, send("POST", stage.secret_path, body, JSON_TYPE)).json["status"] == "duplicate"
    is_error(ask(stage.proxy, request("POST", stage.secret_path[:-1] + ("B" if stage.secret_path.endswith("A") else "A"), body, JSON_TYPE)), 403)
    is_error(ask(stage.proxy, request("POST", stage.secret_path + "/x", body, JSON_TYPE)), 404)


def registers_devices(stage):
    body = stage.credentials(instance_id="phone-1", token="the-token-of-the-phone", type="ios")
    reply = ask(stage.proxy, request("POST", PUSH_TOKEN, body, JSON_TYPE))
    assert reply.status == 200 and reply.json["status"] in ("registered", "unchanged"), reply


def speaks_http2(stage):
    version, status, _ = curl(stage.proxy, AUTHORIZE, stage.credentials())
    assert (version, status) == ("2", 200), (version, status)
    _, body = stage.comment()
    version, status, answer = curl(stage.proxy, stage.secret_path, body)
    assert (version, status, json.loads(answer)["status"]) == ("2", 200, "accepted"), (version, status, answer)
    version, status, answer = curl(stage.proxy, AUTHORIZE, b" " * (BODY_LIMIT + 1))
    assert (version, status, json.loads(answer)["error"]) == ("2", 413, "body_too_large"), (version, status, answer)


def limits_bodies(stage):
    def padded(body, size):
        return body + b" " * (size - len(body))

    for send in (request, chunked):
        assert ask(stage.proxy, send("POST", AUTHORIZE, padded(stage.credentials(), BODY_LIMIT), JSON_TYPE)).status == 200
        _, body = stage.comment()
        assert ask(stage.proxy, send("POST", stage.secret_path, padded(body, WEBHOOK_LIMIT), JSON_TYPE)).status == 200
        for path, size in [(AUTHORIZE, BODY_LIMIT + 1), (stage.secret_path, WEBHOOK_LIMIT + 1), (AUTHORIZE, WEBHOOK_LIMIT)]:
            is_error(ask(stage.proxy, send("POST", path, b" " * size, JSON_TYPE)), 413, "body_too_large")
    # None of them brought a replica down or its connections out of step.
    assert stage.authorize().status == 200


def bears_slow_clients(stage):
    def slowly():
        data = request("POST", AUTHORIZE, stage.credentials(), JSON_TYPE)
        with connect(stage.proxy) as connection:
            for start in range(0, len(data), 60):
                connection.sendall(data[start:start + 60])
                time.sleep(0.2)
            assert read_reply(connection).status == 200

    def stalled(data):
        """A client that stops in the middle."""
        # Caddy keeps Deskgate's answer until the time for the body is over.
        with connect(stage.proxy, timeout=50 if stage.kind == "caddy" else 20) as connection:
            connection.sendall(data)
            reply = read_reply(connection)
        assert reply is None or reply.status in (400, 408), reply

    before = [replica.answered('listener="public"', f'route="{AUTHORIZE}"', 'code="200"') for replica in stage.site.replicas]
    body = request("POST", AUTHORIZE, stage.credentials(), JSON_TYPE)
    webhook = request("POST", stage.secret_path, stage.comment()[1], JSON_TYPE)
    with concurrent.futures.ThreadPoolExecutor() as threads:
        works = [threads.submit(stalled, data) for data in (body[:20], body[:-20], webhook[:60], webhook[:-20])] + [threads.submit(slowly)]
        for work in works:
            work.result()
    after = [replica.answered('listener="public"', f'route="{AUTHORIZE}"', 'code="200"') for replica in stage.site.replicas]
    # Only the slow one was complete.
    assert sum(after) == sum(before) + 1, (before, after)


def keeps_connections(stage):
    recorder = Recorder()
    proxy = stage.front(recorder.address)
    with connect(proxy) as connection:
        for _ in range(20):
            connection.sendall(request("POST", AUTHORIZE, stage.credentials(), JSON_TYPE))
            assert read_reply(connection).status == 200
    assert len(recorder.requests) == 20 and recorder.connections <= 4, (len(recorder.requests), recorder.connections)
    assert not recorder.faults, recorder.faults
    recorder.shutdown()


def replaces_what_callers_say_of_themselves(stage):
    recorder = Recorder()
    proxy = stage.front(recorder.address)
    said = ["X-Forwarded-For: 192.0.2.7", "X-Forwarded-For: 192.0.2.8", "Forwarded: for=192.0.2.7", "X-Request-Id: mine", "X_Forwarded_For: 192.0.2.9"]
    assert ask(proxy, request("POST", AUTHORIZE, b"{}", JSON_TYPE, *said), source="127.0.0.2").status == 200
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
            wait_for(lambda: stage.authorize(proxy, source="127.0.0.2").status == 200, "lets in whom the list names")
            is_error(stage.authorize(proxy, source="127.0.0.3"), 403, "forbidden_network")
            for header in ["X-Forwarded-For: 127.0.0.2", "Forwarded: for=127.0.0.2", "X-Forwarded-For: 127.0.0.2, 127.0.0.1", "X-Real-IP: 127.0.0.2"]:
                data = request("POST", AUTHORIZE, stage.credentials(), JSON_TYPE, header)
                is_error(ask(proxy, data, source="127.0.0.3"), 403, "forbidden_network")
                assert ask(proxy, data, source="127.0.0.2").status == 200
            assert '"client":"127.0.0.3"' in service.log.read_text()
    finally:
        over_tcp.stop()
        over_unix.stop()
