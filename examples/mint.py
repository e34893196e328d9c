"""Mints a security key: mint.py SECRET_FILE APP_ID USER_ID [KEY_ID]"""
import base64, hashlib, hmac, os, struct, sys, time


def read_secret(path: str) -> bytes:
    return base64.urlsafe_b64decode(open(path).read().strip() + "=")


def mint(secret: bytes, key_id: int, app_id: str, user_id: str, issued_at: int, expires_at: int, salt: bytes) -> str:
    head = struct.pack(">BI", 0, key_id) + issued_at.to_bytes(5, "big") + expires_at.to_bytes(5, "big") + salt
    message = b"deskgate/sk/v1" + head
    for text in (app_id.encode(), user_id.encode()):
        message += struct.pack(">I", len(text)) + text
    return "dgk1." + base64.urlsafe_b64encode(head + hmac.digest(secret, message, hashlib.sha256)).decode()


if __name__ == "__main__":
    file, app, user, *key_id = sys.argv[1:]
    now = int(time.time())
    print(mint(read_secret(file), int(key_id[0]) if key_id else 1, app, user, now, now + 30 * 86400, os.urandom(16)))
