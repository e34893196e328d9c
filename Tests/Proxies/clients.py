"""Clients of a proxy: one that sends whatever bytes it is given, one for HTTP/2 frames, and curl."""
import json
import socket
import ssl
import struct
import subprocess

from proxies import NAME
from waiting import PATIENCE_SECONDS

# After so long without an answer, none is expected to a request that need not be HTTP.
QUIET_SECONDS = 1.5


class Reply:
    """One answer as it was received."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:300]!r}"


def connect(proxy, protocol=None, source=None):
    """Opens a TLS connection that trusts the proxy's certificate alone."""
    context = ssl.create_default_context(cafile=proxy.certificate)
    context.check_hostname = True
    if protocol:
        context.set_alpn_protocols([protocol])
    plain = socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE_SECONDS, source_address=(source, 0) if source else None)
    return context.wrap_socket(plain, server_hostname=NAME)


def request(method, path, body=b"", *headers, length=True):
    """The bytes of a well-formed request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {NAME}", *headers] + ([f"Content-Length: {len(body)}"] if length else [])
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chunked(method, path, body, *headers):
    half = len(body) // 2
    pieces = b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in (body[:half], body[half:]) if piece)
    return request(method, path, pieces + b"0\r\n\r\n", *headers, "Transfer-Encoding: chunked", length=False)


def receive(connection):
    """Receives some bytes; none at the end of the connection, however it ends."""
    try:
        return connection.recv(65536)
    except ConnectionError:
        return b""


def read_reply(connection):
    """Reads one answer; None when the connection ends before one is complete."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = receive(connection)
        if not part:
            return None
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    status = int(first.split(" ")[1])
    if status == 100:
        return read_reply(connection)
    if headers.get("transfer-encoding") == "chunked":
        while not body.endswith(b"0\r\n\r\n"):
            part = receive(connection)
            if not part:
                return None
            body += part
        return Reply(status, headers, unchunked(body))
    while len(body) < int(headers.get("content-length", 0)):
        part = receive(connection)
        if not part:
            return None
        body += part
    return Reply(status, headers, body)


def unchunked(body):
    found = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        found, body = found + body[:int(size, 16)], body[int(size, 16) + 2:]
    return found


def ask(proxy, data, source=None):
    """Sends bytes on a connection of their own, and returns the first answer."""
    with connect(proxy, source=source) as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            pass
        return read_reply(connection)


def ask_directly(service, data):
    """The same past any proxy, without TLS."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(data)
        return read_reply(connection)


def provoke(proxy, data):
    """Sends bytes that need not be HTTP, and returns everything that comes back until nothing comes any more."""
    found = b""
    try:
        with connect(proxy) as connection:
            connection.sendall(data)
            connection.settimeout(QUIET_SECONDS)
            while True:
                part = connection.recv(65536)
                if not part:
                    break
                found += part
    except OSError:
        pass
    return found


def curl(proxy, path, body, *options):
    """Posts over HTTP/2. Returns the version, the status and the body."""
    done = subprocess.run(
        ["curl", "-sS", "--http2", "--cacert", proxy.certificate, "--resolve", f"{NAME}:{proxy.port}:127.0.0.1",
         "-H", "Content-Type: application/json", "--data-binary", "@-", "-w", "\n%{http_version} %{http_code}", *options,
         f"https://{NAME}:{proxy.port}{path}"], input=body, stdout=subprocess.PIPE, check=True)
    answer, _, last = done.stdout.rpartition(b"\n")
    version, status = last.decode().split()
    return version, int(status), answer


class Frames:
    """HTTP/2 frames with header fields as they are given, valid or not (RFC 9113, RFC 7541)."""

    HEADERS, DATA, SETTINGS, END_STREAM, END_HEADERS = 1, 0, 4, 1, 4

    @staticmethod
    def frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    @staticmethod
    def text(value):
        value = value if isinstance(value, bytes) else value.encode("latin-1")
        if len(value) < 127:
            return bytes([len(value)]) + value
        rest, encoded = len(value) - 127, bytearray([127])
        while rest >= 128:
            encoded.append(rest % 128 + 128)
            rest //= 128
        return bytes(encoded) + bytes([rest]) + value

    @classmethod
    def post(cls, fields, body=b""):
        """A connection's bytes with one request; a field is (name, value)."""
        block = b"".join(b"\x00" + cls.text(name) + cls.text(value) for name, value in fields)
        opening = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + cls.frame(cls.SETTINGS, 0, 0, b"")
        return opening + cls.frame(cls.HEADERS, cls.END_HEADERS | (0 if body else cls.END_STREAM), 1, block) + (
            cls.frame(cls.DATA, cls.END_STREAM, 1, body) if body else b"")


def provoke_http2(proxy, data):
    try:
        with connect(proxy, protocol="h2") as connection:
            connection.sendall(data)
            connection.settimeout(QUIET_SECONDS)
            while connection.recv(65536):
                pass
    except OSError:
        pass
