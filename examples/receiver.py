"""Receives Deskgate's events and verifies their signature (Standard Webhooks): receiver.py SECRET_FILE [PORT]"""
import base64, hashlib, hmac, http.server, json, sys, time

secret = base64.b64decode(open(sys.argv[1]).read().strip().removeprefix("whsec_"))


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        identifier, timestamp = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        signed = f"{identifier}.{timestamp}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
        # Several signatures while the secret is rotated; an old timestamp is somebody's recording.
        matches = any(hmac.compare_digest(expected, given) for given in self.headers["webhook-signature"].split())
        verified = matches and abs(time.time() - int(timestamp)) < 300
        print("verified" if verified else "REFUSED", json.loads(body)["type"] if verified else "", identifier, flush=True)
        self.send_response(200 if verified else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 8081), Receiver)
print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
