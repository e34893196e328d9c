"""The push providers, simulated by `deskgate simulate`, and h2load as the fastest that anybody can push to one of them."""

import json
import os
import re
import subprocess
import time
import uuid
from pathlib import Path

from fixtures import encode
from peers import require
from processes import Server

START_LIMIT = 20
# h2load does not wait to be told how many streams it may have: when its first requests overtake that, all but one of them are refused.
H2LOAD_TRIES = 5
PAYLOAD = {
    "aps": {
        "alert": {"title": "Anna", "body": "Good afternoon! Your order has been sent and arrives on Thursday."}, "sound": "default",
        "thread-id": "ticket-1000", "mutable-content": 1,
    },
    "ticket_id": 1000, "comment_id": 1, "app_id": "my-app",
}


def raw_signature(der):
    """The two numbers of an ECDSA signature of P-256, 32 bytes each, from DER: a sequence of two integers."""
    numbers, rest = b"", der[2:]
    for _ in range(2):
        length = rest[1]
        numbers += rest[2 : 2 + length].lstrip(b"\0").rjust(32, b"\0")
        rest = rest[2 + length :]
    return numbers


class Simulator:
    """One run of all providers, with credentials of its own."""

    def __init__(self, options, directory, faults=()):
        self.directory = Path(directory)
        command = [str(Path(options.deskgate).resolve()), "simulate", "--directory", str(directory), "--json"]
        for fault in faults:
            command += ["--fault", json.dumps(fault)]
        # It tells of each push on standard output, which nobody reads here.
        self.server = Server.start("deskgate simulate", None, command, Path("/dev/null"), os.sched_getaffinity(0))
        self.notifiers, self.sendbird = (self.written(name, time.monotonic() + START_LIMIT) for name in ("notifiers.json", "sendbird.json"))

    def written(self, name, deadline):
        """What is in a file, as soon as the whole of it is there."""
        path = self.directory / name
        while not path.exists() or not path.read_text().endswith("}\n"):
            self.server.require_alive()
            if time.monotonic() > deadline:
                raise RuntimeError("deskgate simulate does not start")
            time.sleep(0.01)
        return json.loads(path.read_text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def provider_token(self):
        """What proves to APNs who sends (RFC 7519, ES256); signed by OpenSSL, because Python has no elliptic curves."""
        apns = self.notifiers["apns"]
        head = encode(json.dumps({"alg": "ES256", "kid": apns["key_id"]}).encode())
        signed = f"{head}.{encode(json.dumps({'iss': apns['team_id'], 'iat': int(time.time())}).encode())}"
        command = [require("openssl"), "dgst", "-sha256", "-sign", apns["key"]["file"]]
        der = subprocess.run(command, input=signed.encode(), capture_output=True, check=True).stdout
        return f"{signed}.{encode(raw_signature(der))}"

    def fastest(self, pushes, connections, streams):
        """Pushes a second that h2load brings to APNs; raises RuntimeError when one is refused."""
        payload = self.directory / "payload.json"
        payload.write_text(json.dumps(PAYLOAD))
        headers = {
            "authorization": f"bearer {self.provider_token()}", "apns-topic": self.notifiers["apns"]["topic"], "apns-push-type": "alert",
            "apns-id": str(uuid.uuid4()), "apns-priority": "10", "apns-expiration": str(int(time.time()) + 3600),
        }
        command = [require("h2load"), f"-n{pushes}", f"-c{connections}", f"-m{streams}", "-d", str(payload)]
        for name, value in headers.items():
            command += ["-H", f"{name}: {value}"]
        command.append(f"{self.notifiers['apns']['url']}/3/device/{'ab' * 32}")
        for _ in range(H2LOAD_TRIES):
            output = subprocess.run(command, capture_output=True, text=True, check=True)
            succeeded = re.search(r"(\d+) 2xx", output.stdout)
            if succeeded is not None and int(succeeded[1]) == pushes:
                return float(re.search(r"finished in .*?, ([\d.]+) req/s", output.stdout)[1])
        raise RuntimeError(f"h2load: not every push was accepted\n{output.stdout}")
