"""An upstream that reads what a proxy passes on as strictly as RFC 9112 says, and notes whatever another server could read otherwise."""
import re
import socket
import socketserver
import threading

from waiting import PATIENCE_SECONDS, wait_for

TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
PROBES = (b"GET /livez", b"GET /readyz")


class Recorder(socketserver.ThreadingTCPServer):
    """Answers every request with 200."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self):
        self.requests, self.faults, self.connections, self.active = [], [], 0, 0
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Reader)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def process_request(self, request, client_address):
        with self.lock:
            self.active += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        super().shutdown_request(request)
        with self.lock:
            self.active -= 1

    def forget(self):
        with self.lock:
            self.requests, self.faults, self.connections = [], [], 0

    def read_all(self):
        """Returns when everything has been read of clients that have closed their connections."""
        # Connections are taken in their order, and this one is the last.
        with socket.create_connection(self.server_address, timeout=PATIENCE_SECONDS) as last:
            last.sendall(b"GET /livez HTTP/1.1\r\n\r\n")
            last.recv(65536)
        wait_for(lambda: self.active == 0, "reads all requests")

    @property
    def address(self):
        return f"127.0.0.1:{self.server_address[1]}"


class Malformed(Exception):
    pass


class Reader(socketserver.BaseRequestHandler):
    def handle(self):
        self.data, self.has_counted = b"", False
        try:
            while self.read_request():
                pass
        except Malformed as fault:
            with self.server.lock:
                self.server.faults.append(str(fault))
        except OSError:
            pass

    def read_request(self):
        """Reads and answers one request. Returns false at the end of the connection."""
        head = self.take_until(b"\r\n\r\n")
        if head is None:
            return False
        first, *lines = head.split(b"\r\n")
        if first.startswith(PROBES) and b"X-Hidden: 1" not in lines:
            self.request.sendall(ANSWER)
            return first.endswith(b"HTTP/1.1")
        if not re.fullmatch(rb"[A-Z]+ [\x21-\x7e]+ HTTP/1\.[01]", first):
            raise Malformed(f"request line {first!r}")
        headers = self.headers(lines)
        if first.endswith(b"HTTP/1.0") and b"transfer-encoding" in headers:
            raise Malformed("HTTP/1.0 with chunks")
        body = self.body(headers)
        with self.server.lock:
            self.server.connections += not self.has_counted
            self.has_counted = True
            self.server.requests.append((first, headers, body))
        self.request.sendall(ANSWER)
        return first.endswith(b"HTTP/1.1")

    def headers(self, lines):
        headers = {}
        for line in lines:
            name, colon, value = line.partition(b":")
            if not colon or not TOKEN.fullmatch(name) or re.search(rb"[\r\n\0]", value):
                raise Malformed(f"header {line!r}")
            headers.setdefault(name.lower(), []).append(value.strip())
        for name, values in headers.items():
            if len(values) > 1 and name in (b"host", b"content-length", b"transfer-encoding", b"x-forwarded-for", b"x-request-id"):
                raise Malformed(f"{name!r} is there {len(values)} times")
        return headers

    def body(self, headers):
        lengths, codings = headers.get(b"content-length", []), headers.get(b"transfer-encoding", [])
        if lengths and codings:
            raise Malformed("a length and chunks")
        if codings and codings[0].lower() != b"chunked":
            raise Malformed(f"transfer coding {codings!r}")
        if lengths and not re.fullmatch(rb"[0-9]+", lengths[0]):
            raise Malformed(f"length {lengths!r}")
        if not codings:
            return self.take(int(lengths[0]) if lengths else 0)
        body = b""
        while True:
            line = self.take_line()
            if not re.fullmatch(rb"[0-9a-fA-F]+", line):
                raise Malformed(f"chunk {line!r}")
            if int(line, 16) == 0:
                self.headers(iter(self.take_line, b""))
                return body
            body += self.take(int(line, 16))
            if self.take(2) != b"\r\n":
                raise Malformed("a chunk without its end")

    def receive(self):
        part = self.request.recv(65536)
        self.data += part
        return bool(part)

    def take_until(self, end):
        while end not in self.data:
            if not self.receive():
                return None
        found, self.data = self.data.split(end, 1)
        return found

    def take_line(self):
        line = self.take_until(b"\r\n")
        if line is None:
            raise OSError("the proxy has gone, and so the request is none")
        return line

    def take(self, count):
        while len(self.data) < count:
            if not self.receive():
                raise OSError("the proxy has gone")
        found, self.data = self.data[:count], self.data[count:]
        return found
