"""Replicas that die, are silent, are not ready, or are not there."""
import concurrent.futures
import json
import socket
import threading

from clients import ask, ask_directly, request
from replicas import free_port
from stage import AUTHORIZE, JSON_TYPE, PUSH_TOKEN, is_error
from waiting import wait_for


def loses_nothing_when_a_replica_dies(stage):
    """Under load one replica is killed: every webhook and authorization is answered 200, and every webhook is in the store once."""
    sent = []

    def answered(send):
        reply = send()
        while stage.kind == "caddy" and reply.status == 503:
            # What the help desk does: Caddy repeats nothing that was sent.
            is_error(reply, 503, "unavailable")
            reply = send()
        assert reply is not None and reply.status == 200, reply

    def load(number):
        for _ in range(15):
            number, body = stage.comment()
            answered(lambda: ask(stage.proxy, request("POST", stage.secret_path, body, JSON_TYPE)))
            sent.append(number)
            answered(stage.authorize)

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
    dying.start()
    wait_for(lambda: stage.authorize().status == 200 and stage.authorize().status == 200, "authorizes again")


def repeats_only_what_is_safe(stage):
    """A replica that ends a connection without an answer: authorizations and webhooks are asked elsewhere, registrations are not."""
    mute = socket.create_server(("127.0.0.1", 0))
    asked = []

    def take():
        while True:
            try:
                connection, _ = mute.accept()
            except OSError:
                return
            with connection:
                data = connection.recv(65536)
                if data.startswith((b"GET /livez", b"GET /readyz")):
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                elif data:
                    asked.append(data.split(b" ")[1])

    threading.Thread(target=take, daemon=True).start()
    proxy = stage.front(f"127.0.0.1:{mute.getsockname()[1]}", f"127.0.0.1:{stage.site.replicas[1].port}")
    token = stage.credentials(instance_id="phone-2", token="another-token", type="ios")

    def until_asked(path, send):
        """Sends until the mute replica was asked once for this path; returns the answer to that request."""
        def answer():
            before = asked.count(path.encode())
            reply = send()
            if asked.count(path.encode()) > before:
                return reply
            assert reply.status == 200, reply
            return None

        # With its pauses, because nginx leaves a replica out for ten seconds, in which a fast machine reaches the limits of a user.
        return wait_for(answer, f"asks the mute replica for {path}")

    authorized = until_asked(AUTHORIZE, lambda: stage.authorize(proxy))
    accepted = until_asked(stage.secret_path, lambda: ask(proxy, request("POST", stage.secret_path, stage.comment()[1], JSON_TYPE)))
    if stage.kind == "caddy":
        is_error(authorized, 503, "unavailable")
        is_error(accepted, 503, "unavailable")
    else:
        assert authorized.status == 200, authorized
        assert accepted.status == 200 and accepted.json["status"] == "accepted", accepted
    is_error(until_asked(PUSH_TOKEN, lambda: ask(proxy, request("POST", PUSH_TOKEN, token, JSON_TYPE))), 503, "unavailable")
    mute.close()


def asks_replicas_that_are_ready(stage):
    """A replica whose queue is full is not ready: webhooks go to the other one, authorizations still to both."""
    full = stage.site.replicas[0]

    def post():
        return ask(stage.proxy, request("POST", stage.secret_path, stage.comment()[1], JSON_TYPE))

    def is_unready():
        # From then on the replica knows how much waits.
        assert ask_directly(full, request("POST", stage.secret_path, stage.comment()[1], JSON_TYPE)).status in (200, 503)
        return json.loads(full.ask("/v1/status")[1])["status"] == "not_ready"

    stage.site.receiver.is_away = True
    for _ in range(3):
        assert post().status == 200
    full.stop()
    full.change(store={"max_pending": 1})
    full.start()
    try:
        wait_for(is_unready, "is not ready")
        route = ('listener="public"', "/pyrus/webhook/")

        def is_left_alone():
            before = full.answered(*route)
            assert all(post().status == 200 for _ in range(6))
            return full.answered(*route) == before

        if stage.kind != "nginx":
            # nginx asks nobody for health; it repeats what was answered 503.
            wait_for(is_left_alone, "leaves the full replica alone")
        assert all(post().status == 200 for _ in range(6))
        assert all(stage.authorize().status == 200 for _ in range(12))
        authorized = ('listener="public"', f'route="{AUTHORIZE}"', 'code="200"')

        def is_asked():
            before = full.answered(*authorized)
            assert all(stage.authorize().status == 200 for _ in range(12))
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
