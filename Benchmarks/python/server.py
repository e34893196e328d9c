"""The work of POST /pyrus/authorize in Python: a plain ASGI application where uvicorn is installed, else
http.server; one process a core, each with a socket of its own on the shared port."""

import json
import os
import socket
import sys
import time
from bisect import bisect_left
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from security_key import decide, read_configuration

BODY_LIMIT = 16 * 1024
BOUNDS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1)


def encoded(code, **fields):
    return code, json.dumps(fields, separators=(",", ":")).encode()


def malformed(message):
    return encoded(400, error="malformed", message=message)


ANSWERS = {
    "authorized": encoded(200, status="authorized"),
    "denied": encoded(403, error="forbidden", message="denied"),
    "malformed_body": malformed("the body must be one JSON object"),
    "malformed_app_id": malformed("app_id must be text of 1 to 255 UTF-16 units"),
    "malformed_user_id": malformed("user_id must be text of 1 to 100 UTF-16 units"),
    "malformed_security_key": malformed("security_key must be dgk1. and 84 base64url characters"),
    "not_found": encoded(404, error="not_found", message="no such path"),
    "not_allowed": encoded(405, error="method_not_allowed", message="use POST"),
    "too_large": encoded(413, error="too_large", message="the body is over 16 KiB"),
}

CONFIGURATION, KEYRING = read_configuration(sys.argv[-1])
results, durations = Counter(), [0] * (len(BOUNDS) + 1)


def answer(method, path, content_type, body):
    """The status and body for a whole request; counts and times it as the service does."""
    started = time.perf_counter()
    if path != "/pyrus/authorize":
        return ANSWERS["not_found"]
    if method != "POST":
        return ANSWERS["not_allowed"]
    if len(body) > BODY_LIMIT:
        return ANSWERS["too_large"]
    is_json = content_type is None or content_type.lower().startswith("application/json")
    result = decide(KEYRING, body, int(time.time())) if is_json else "malformed_body"
    results[result] += 1
    durations[bisect_left(BOUNDS, time.perf_counter() - started)] += 1
    return ANSWERS[result]


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        message = await receive()
        body = (body + message.get("body", b""))[: BODY_LIMIT + 1]
        more = message.get("more_body", False)
    content_type = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"content-type"), None)
    status, payload = answer(scope["method"], scope["path"], content_type, body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(payload)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": payload})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        status, payload = answer(self.command, self.path, self.headers.get("Content-Type"), body)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def bind(host, port):
    """A socket whose connections send at once: headers and body are two writes, and otherwise the second waits for
    the client's delayed acknowledgement. asyncio sees to that only on sockets that name their protocol."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.bind((host, port))
    listener.listen(128)
    return listener


def serve(host, port, cores):
    for _ in range(cores - 1):
        if os.fork() == 0:
            break
    listener = bind(host, port)
    try:
        import uvicorn
    except ImportError:
        server = ThreadingHTTPServer((host, port), Handler, bind_and_activate=False)
        server.socket.close()
        server.socket = listener
        server.serve_forever()
    else:
        uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    serve(**CONFIGURATION["listen"], cores=len(os.sched_getaffinity(0)))
