"""Servers on loopback ports that record what they are sent: a collector of OTLP over HTTP that reads strictly, and any other one."""
import base64
import http.server
import json
import re
import threading
import time

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from waiting import PATIENCE_SECONDS


class Recorder:
    """A server that records every request; `answers` are used one after the other, the last one for all that follow.

    An answer is a status, headers and a body, or None to answer nothing until the server stops.
    """

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.changed = threading.Condition()
        self.is_stopping = threading.Event()
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = recorder.take(self.path, self.headers, body)
                if answer is None:
                    recorder.is_stopping.wait()
                    self.close_connection = True
                    return
                status, headers, text = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_port}{path}"

    def take(self, path, headers, body):
        with self.changed:
            self.requests.append((time.monotonic(), path, dict(headers.items()), body))
            self.changed.notify_all()
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def wait(self, condition, what):
        """Waits until a condition on this server holds, and returns its value."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        with self.changed:
            while not (found := condition(self)):
                if not self.changed.wait(deadline - time.monotonic()):
                    raise AssertionError(f"never came: {what}")
            return found

    def stop(self):
        self.is_stopping.set()
        self.server.shutdown()
        self.server.server_close()


class Collector(Recorder):
    """A collector; a request that is not as OTLP says is kept in `complaints`."""

    def __init__(self, *answers):
        self.spans = []
        self.complaints = []
        super().__init__(*answers)

    def take(self, path, headers, body):
        try:
            spans = read(path, headers, body)
        except Exception as error:
            spans = []
            self.complaints.append(f"{error}: {body[:2000]}")
        with self.changed:
            answer = super().take(path, headers, body)
            # Of what is not taken the same spans come again.
            if answer is not None and answer[0] == 200:
                self.spans += spans
                self.changed.notify_all()
            return answer

    def span(self, what, matches):
        """Waits for a span and returns it."""
        return self.wait(lambda collector: next(filter(matches, collector.spans), None), what)


def read(path, headers, body):
    """Reads an export strictly. Returns its spans, with their resource's attributes as `resource`."""
    assert path == "/v1/traces", path
    assert headers["Content-Type"] == "application/json", headers
    root = json.loads(body, object_pairs_hook=unique)
    check(root)
    request = json_format.ParseDict(root, ExportTraceServiceRequest(), ignore_unknown_fields=False)
    found = []
    for resource_spans in request.resource_spans:
        resource = attributes(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            assert scope_spans.scope.name == "deskgate" and scope_spans.scope.version
            for span in scope_spans.spans:
                assert len(span.trace_id) == 16 and any(span.trace_id) and len(span.span_id) == 8 and any(span.span_id)
                assert len(span.parent_span_id) in (0, 8)
                assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
                assert span.name
                found.append(Span(span, resource))
    assert found, "an export without spans"
    return found


class Span:
    """A span as a scene looks at it."""

    def __init__(self, span, resource):
        self.trace, self.id, self.parent = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
        self.name, self.kind, self.start, self.end = span.name, span.kind, span.start_time_unix_nano, span.end_time_unix_nano
        self.status = span.status.code
        self.attributes = attributes(span.attributes)
        self.resource = resource


def unique(pairs):
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), f"a member twice: {names}"
    return dict(pairs)


def check(value):
    """Checks what JSON of OTLP says beyond Protobuf's, which would take more, and brings ids into Protobuf's form."""
    if isinstance(value, list):
        for element in value:
            check(element)
    elif isinstance(value, dict):
        for name, member in value.items():
            if name in ("traceId", "spanId", "parentSpanId"):
                assert re.fullmatch("[0-9a-f]{32}" if name == "traceId" else "[0-9a-f]{16}", member), f"{name}: {member}"
                value[name] = base64.b64encode(bytes.fromhex(member)).decode()
            elif name in ("startTimeUnixNano", "endTimeUnixNano", "intValue"):
                assert isinstance(member, str) and re.fullmatch("-?[0-9]+", member), f"{name}: {member}"
            elif name in ("kind", "code"):
                assert type(member) is int, f"{name}: {member}"
            else:
                check(member)


def attributes(pairs):
    found = {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}
    assert len(found) == len(pairs), "an attribute twice"
    return found
