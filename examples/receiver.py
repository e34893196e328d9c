"""Plays the part of your backend: receives Deskgate's events, and answers whether a user may chat (docs/BACKEND.md).

receiver.py SECRET_FILE [PORT [FILE]]: verifies the signature of both (Standard Webhooks). Users in FILE, one a line, may not chat.
"""
import base64, hashlib, hmac, http.server, json, os, sys, time

secret = base64.b64decode(open(sys.argv[1]).read().strip().removeprefix("whsec_"))
port = int(sys.argv[2]) if len(sys.argv) > 2 else 8081
refused_users = sys.argv[3] if len(sys.argv) > 3 else os.devnull


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        identifier, timestamp = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        signed = f"{identifier}.{timestamp}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
        # Several signatures while the secret is rotated; an old timestamp is somebody's recording.
        matches = any(hmac.compare_digest(expected, given) for given in self.headers["webhook-signature"].split())
        verified = matches and abs(time.time() - int(timestamp)) < 300
        content = json.loads(body) if verified else {"type": ""}
        print("verified" if verified else "REFUSED", content.get("type", "question"), identifier, flush=True)
        # An event has no user_id beside its type.
        may_chat = not os.path.exists(refused_users) or content.get("user_id") not in open(refused_users).read().splitlines()
        self.send_response(401 if not verified else 200 if may_chat else 403)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
