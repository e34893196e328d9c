// The verdict on a security key in JavaScript, with what Node brings along.
import { isUtf8 } from "node:buffer";
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";

const headLength = 31;
const clockSkew = 60;
const domain = Buffer.from("deskgate/sk/v1");
const control = /[\u0000-\u001f\u007f]/;
const grammar = /^dgk1\.[A-Za-z0-9_-]{84}$/;
const standIn = createSecretKey(Buffer.alloc(32));

const isIdentifier = (text, largest) => typeof text === "string" && text.length > 0 && text.length <= largest && !control.test(text);

function field(text) {
  const bytes = Buffer.from(text);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}

function parse(body) {
  if (!isUtf8(body)) return null;
  try {
    const value = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The verdict on a body, by name. `keyring` maps an app id to a map of key ids to secrets. */
export function decide(keyring, body, now) {
  const request = parse(body);
  if (request === null) return "malformed_body";
  const { app_id: appID, user_id: userID, security_key: securityKey } = request;
  if (!isIdentifier(appID, 255)) return "malformed_app_id";
  if (!isIdentifier(userID, 100)) return "malformed_user_id";
  if (typeof securityKey !== "string" || !grammar.test(securityKey)) return "malformed_security_key";
  const decoded = Buffer.from(securityKey.slice(5), "base64url");
  if (decoded[0] !== 0) return "malformed_security_key";

  const head = decoded.subarray(0, headLength);
  const secret = keyring.get(appID)?.get(head.readUInt32BE(1));
  const message = Buffer.concat([domain, head, ...field(appID), ...field(userID)]);
  const mac = createHmac("sha256", secret ?? standIn).update(message).digest();
  if (!timingSafeEqual(mac, decoded.subarray(headLength)) || secret === undefined) return "denied";
  const issuedAt = head.readUIntBE(5, 5);
  const expiresAt = head.readUIntBE(10, 5);
  return issuedAt <= now + clockSkew && (expiresAt === 0 || now <= expiresAt + clockSkew) ? "authorized" : "denied";
}
