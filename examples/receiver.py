"""Plays the part of your backend: receives Deskgate's events, and answers whether a user may chat (docs/BACKEND.md).

receiver.py SECRET_FILE [PORT [FILE]]: verifies the signature of both with clients/deskgate.py. Users in FILE, one a line, may not chat.
Events go to /events; requests to any other path are questions.
"""
import http.server, json, os, pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))
from deskgate import DeskgateError, verify_event

secret = open(sys.argv[1]).read()
port = int(sys.argv[2]) if len(sys.argv) > 2 else 8081
refused_users = sys.argv[3] if len(sys.argv) > 3 else os.devnull


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            verify_event(self.headers, body, [secret])
        except DeskgateError as error:
            print("REFUSED", error, flush=True)
            # For an event, Deskgate then names the secret as the cause. To a question, 401 would be a no, which closes the chat.
            return self.answer(401 if self.path == "/events" else 400)
        content = json.loads(body)
        print("verified", content.get("type", "question"), self.headers["webhook-id"], flush=True)
        # An event has no user_id beside its type.
        may_chat = not os.path.exists(refused_users) or content.get("user_id") not in open(refused_users).read().splitlines()
        self.answer(200 if may_chat else 403)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


try:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
except OSError as error:
    sys.exit(f"receiver.py: cannot listen on 127.0.0.1:{port}: {error.strerror}; give another port")
print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
