// Mints a security key: node mint.mjs SECRET_FILE APP_ID USER_ID [KEY_ID]
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

export function readSecret(path) {
  return Buffer.from(readFileSync(path, "utf8").trim(), "base64url");
}

export function mint(secret, keyID, appID, userID, issuedAt, expiresAt, salt) {
  const head = Buffer.alloc(31);
  head.writeUInt32BE(keyID, 1);
  head.writeUIntBE(issuedAt, 5, 5);
  head.writeUIntBE(expiresAt, 10, 5);
  salt.copy(head, 15);
  const mac = createHmac("sha256", secret).update("deskgate/sk/v1").update(head);
  for (const text of [appID, userID].map((text) => Buffer.from(text, "utf8"))) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    mac.update(length).update(text);
  }
  return "dgk1." + Buffer.concat([head, mac.digest()]).toString("base64url");
}

if (process.argv[1]?.endsWith("mint.mjs")) {
  const [file, app, user, keyID] = process.argv.slice(2);
  const now = Math.floor(Date.now() / 1000);
  console.log(mint(readSecret(file), Number(keyID ?? 1), app, user, now, now + 30 * 86400, randomBytes(16)));
}
