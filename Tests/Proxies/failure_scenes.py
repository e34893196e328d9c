"""Replicas that die, are silent, are not ready, or are not there."""
import concurrent.futures
import json
import socket
import threading

from clients import ask, ask_directly, receive, request
from ports import free_port
from stage import AUTHORIZE, JSON_TYPE, PUSH_TOKEN, is_error, is_ok
from waiting import wait_for


def loses_nothing_when_a_replica_dies(stage):
    """Under load one replica is killed: every webhook and authorization is answered 200, and every webhook is in the store once."""
    sent = []

    def load(number):
        # The help desk repeats a request that is answered 503. Caddy repeats none that was sent, and HAProxy has no replica left while the
        # living one is late with its health check.
        for _ in range(15):
            number, body = stage.comment()
            for data in (request("POST", stage.secret_path, body, JSON_TYPE), stage.authorization()):
                reply = stage.ask(data)
                assert is_ok(reply), reply
            sent.append(number)

    logged = len(stage.proxy.access_log())
    dying = stage.site.replicas[0]
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        works = [threads.submit(load, number) for number in range(8)]
        wait_for(lambda: len(sent) > 20, "is accepted")
        dying.kill()
        for work in works:
            work.result()
    assert len(sent) == 8 * 15
    stored = stage.site.stored_comments()
    assert sorted(number for number in stored if number in sent) == sorted(sent)
    if stage.kind == "haproxy":
        # HAProxy repeats a request that it has sent, so it answers 503 only when it has no replica.
        lines = [json.loads(line) for line in stage.proxy.access_log()[logged:]]
        assert all(line["upstream"] == "<NOSRV>" for line in lines if line["status"] == "503"), lines
    dying.start()
    wait_for(lambda: is_ok(stage.authorize()) and is_ok(stage.authorize()), "authorizes again")


def repeats_only_what_is_safe(stage):
    """A replica that ends a connection without an answer: authorizations and webhooks are asked elsewhere, registrations are not."""
    mute = socket.create_server(("127.0.0.1", 0), backlog=128)
    asked = []

    def take():
        while True:
            try:
                connection, _ = mute.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    def serve(connection):
        with connection:
            data = receive(connection)
            if data.startswith((b"GET /livez", b"GET /readyz")):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            elif data:
                asked.append(data.split(b" ")[1])

    threading.Thread(target=take, daemon=True).start()
    proxy = stage.front(f"127.0.0.1:{mute.getsockname()[1]}", f"127.0.0.1:{stage.site.replicas[1].port}")
    token = stage.credentials(instance_id="phone-2", token="another-token", type="ios")

    def until_asked(path, make, is_repeated):
        """Sends requests until the mute replica was asked for this path, and the answer shows whether the request was repeated elsewhere."""
        def answer():
            before = asked.count(path.encode())
            reply = ask(proxy, make())
            if asked.count(path.encode()) == before:
                assert is_ok(reply) or stage.has_no_replica(reply), reply
                return None
            if is_repeated:
                # The other replica may be late with its health check.
                assert is_ok(reply) or stage.has_no_replica(reply), reply
                return reply if is_ok(reply) else None
            is_error(reply, 503, "unavailable")
            return reply

        # With its pauses, because nginx leaves a replica out for ten seconds, in which a fast machine reaches the limits of a user.
        return wait_for(answer, f"asks the mute replica for {path}")

    repeats = stage.kind != "caddy"
    until_asked(AUTHORIZE, stage.authorization, repeats)
    accepted = until_asked(stage.secret_path, stage.webhook, repeats)
    assert not repeats or accepted.json["status"] == "accepted", accepted
    until_asked(PUSH_TOKEN, lambda: request("POST", PUSH_TOKEN, token, JSON_TYPE), is_repeated=False)
    mute.close()


def asks_replicas_that_are_ready(stage):
    """A replica whose queue is full is not ready: webhooks go to the other one, authorizations still to both."""
    full = stage.site.replicas[0]

    def accepts(count=6):
        return all(is_ok(stage.ask(stage.webhook())) for _ in range(count))

    def authorizes(count=12):
        return all(is_ok(stage.authorize()) for _ in range(count))

    def is_unready():
        # From then on the replica knows how much waits.
        reply = ask_directly(full, stage.webhook())
        assert reply is not None and reply.status in (200, 503), reply
        return json.loads(full.ask("/v1/status")[1])["status"] == "not_ready"

    stage.site.receiver.is_away = True
    assert accepts(3)
    full.stop()
    full.change(store={"max_pending": 1})
    full.start()
    try:
        wait_for(is_unready, "is not ready")
        route = ('listener="public"', "/pyrus/webhook/")

        def is_left_alone():
            before = full.answered(*route)
            return accepts() and full.answered(*route) == before

        if stage.kind != "nginx":
            # nginx asks nobody for health; it repeats what was answered 503.
            wait_for(is_left_alone, "leaves the full replica alone")
        assert accepts()
        assert authorizes()
        authorized = ('listener="public"', f'route="{AUTHORIZE}"', 'code="200"')

        def is_asked():
            before = full.answered(*authorized)
            assert authorizes()
            return full.answered(*authorized) > before

        if stage.kind != "nginx":
            # It was away for a while, so the proxy's health checks must have found it again.
            wait_for(is_asked, "asks the full replica for authorizations")
    finally:
        stage.site.receiver.is_away = False
        full.stop()
        del full.config["store"]["max_pending"]
        full.change()
        full.start()


def says_when_nobody_answers(stage):
    proxy = stage.front(f"127.0.0.1:{free_port()}")
    for path, body in [(AUTHORIZE, stage.credentials()), (stage.secret_path, stage.comment()[1]), (PUSH_TOKEN, stage.credentials())]:
        reply = ask(proxy, request("POST", path, body, JSON_TYPE))
        is_error(reply, 503, "unavailable")
        assert reply.headers["retry-after"] == "1", reply
