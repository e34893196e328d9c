"""What every peer is given: one app, one secret, configuration files, and request bodies minted here."""

import base64
import hashlib
import hmac
import json
import os
import random
import secrets
import socket
import time
from pathlib import Path

KEY_ID = 1
DAY = 86_400


def encode(data):
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def random_app_id():
    """136 characters of the kinds that real ones have: `-`, `~` and a trailing `==`."""
    text = "~".join(secrets.token_urlsafe(48)[:50] for _ in range(3))
    return text[:134] + "=="


def mint(secret, app_id, user_id, *, key_id=KEY_ID, issued_at=None, expires_at=None, flags=0, salt=None):
    """A security key; issued a moment ago and valid for a day unless said otherwise."""
    now = int(time.time())
    issued_at = now - 10 if issued_at is None else issued_at
    expires_at = now + DAY if expires_at is None else expires_at
    salt = os.urandom(16) if salt is None else salt
    head = b"".join((bytes([flags]), key_id.to_bytes(4, "big"), issued_at.to_bytes(5, "big"), expires_at.to_bytes(5, "big"), salt))
    message = b"deskgate/sk/v1" + head
    for field in (app_id.encode(), user_id.encode()):
        message += len(field).to_bytes(4, "big") + field
    return "dgk1." + encode(head + hmac.digest(secret, message, hashlib.sha256))


def body(app_id, user_id, security_key):
    """A request body as the help desk sends it: UTF-8, not escaped."""
    return json.dumps({"app_id": app_id, "user_id": user_id, "security_key": security_key}, ensure_ascii=False).encode()


def free_port():
    """A port below the range that the kernel gives to clients: polling a port in that range until it opens can
    connect to itself, and a measurement's own connections could take it."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(10_000, max(lowest, 12_000))
        with socket.socket() as candidate:
            try:
                candidate.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Workspace:
    """A directory with the secrets, the bodies and one configuration file a server started."""

    USERS = 1000

    def __init__(self, directory):
        self.directory = Path(directory)
        self.app_id = random_app_id()
        self.secret = os.urandom(32)
        self.write_secret("app.key", encode(self.secret))
        self.write_secret("admin-token", secrets.token_urlsafe(32))
        self.bodies = self.directory / "bodies.txt"
        self.bodies.write_bytes(b"".join(self.valid_body(number) + b"\n" for number in range(self.USERS)))

    def write_secret(self, name, text):
        """Writes a file beside the configurations' folders; returns how a configuration refers to it."""
        path = self.directory / name
        path.touch(mode=0o600)
        path.write_text(text)
        return {"file": f"../{name}"}

    def valid_body(self, number=0):
        """Authorized; every tenth user id is not ASCII, as in a real user base."""
        user_id = f"пользователь-{number}" if number % 10 == 0 else f"customer-{number:06d}"
        return body(self.app_id, user_id, mint(self.secret, self.app_id, user_id))

    def configuration(self, name, app=None, **members):
        """Writes `<name>/deskgate.json` with fresh ports, and with what is added to the app and to the whole; returns its path and the
        public port."""
        folder = self.directory / name
        folder.mkdir()
        port = free_port()
        document = {
            # All connections come from one address.
            "listen": {"host": "127.0.0.1", "port": port, "trusted_proxies": ["127.0.0.0/8"]},
            "admin": {"host": "127.0.0.1", "port": free_port(), "token": {"file": "../admin-token"}},
            "apps": [{"app_id": self.app_id, "keys": [{"id": KEY_ID, "secret": {"file": "../app.key"}}], **(app or {})}],
            **members,
        }
        path = folder / "deskgate.json"
        path.write_text(json.dumps(document, indent=2))
        return path, port
