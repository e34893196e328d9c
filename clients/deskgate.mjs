/**
 * Deskgate for a backend in Node.js: mints and verifies security keys, and verifies signed events.
 *
 * Copy this file, and deskgate.d.mts beside it for TypeScript; it needs Node.js 18 and no package.
 * DeskgateError.reason is a word of the table in clients/README.md.
 *
 *     const secret = readFileSync("secrets/app-1.key", "utf8");
 *     const securityKey = mintSecurityKey("my-app", "user-1", 1, secret); // for the signed-in user
 *     verifySecurityKey("my-app", "user-1", securityKey, { 1: secret }); // in a test of yours
 *     const signingSecret = readFileSync("secrets/backend.key", "utf8");
 *     verifyEvent(request.headers, request.body, [signingSecret]); // throws DeskgateError: answer 401
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** How far the clocks of backend and service may differ, in seconds, as the service has it by default. */
const CLOCK_SKEW = 60;

/** Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given. */
export class DeskgateError extends Error {
  constructor(reason, message) {
    super(`${reason}: ${message}`);
    this.name = "DeskgateError";
    this.reason = reason;
  }
}

/**
 * Makes a security key of 89 characters.
 *
 * `secret` is what `deskgate secret new` prints, and `keyId` its number in the service's configuration. `lifetime` is in seconds; 0 never
 * ends. Give `now` (Unix seconds) and `salt` (16 bytes) only in tests: each key needs a random salt of its own.
 */
export function mintSecurityKey(appId, userId, keyId, secret, options = {}) {
  const { lifetime = 7 * 86400, now = unixTime(), salt = randomBytes(16) } = options;
  const app = text("appId", appId, 255);
  const user = text("userId", userId, 100);
  if (!Number.isInteger(keyId) || keyId < 0 || keyId >= 2 ** 32) {
    throw new DeskgateError("bad_argument", "keyId is from 0 to 4294967295");
  }
  if (![lifetime, now].every((time) => Number.isInteger(time) && time >= 0) || now + lifetime >= 2 ** 40) {
    throw new DeskgateError("bad_argument", "lifetime is at least 0 whole seconds, and the key ends before 2^40");
  }
  if (salt.length !== 16) throw new DeskgateError("bad_argument", "salt is 16 bytes");
  const head = Buffer.alloc(31);
  head.writeUInt32BE(keyId, 1);
  head.writeUIntBE(now, 5, 5);
  head.writeUIntBE(lifetime === 0 ? 0 : now + lifetime, 10, 5);
  head.set(salt, 15);
  return "dgk1." + Buffer.concat([head, mac(keySecret(secret), head, app, user)]).toString("base64url");
}

/**
 * Throws DeskgateError unless the key is genuine and in force; `secrets` has the app's secrets by key id.
 *
 * The service alone knows what is revoked or blocked, and how long a key may live.
 */
export function verifySecurityKey(appId, userId, securityKey, secrets, { now = unixTime() } = {}) {
  const app = text("appId", appId, 255);
  const user = text("userId", userId, 100);
  text("securityKey", securityKey, 100);
  // The first byte of the head is 0: in base64url A and one of A to P.
  if (!/^dgk1\.A[A-P][A-Za-z0-9_-]{82}$/.test(securityKey)) {
    throw new DeskgateError("not_a_security_key", "expected dgk1. and 84 base64url characters");
  }
  const data = Buffer.from(securityKey.slice(5), "base64url");
  const head = data.subarray(0, 31);
  const [keyId, issuedAt, expiresAt] = [head.readUInt32BE(1), head.readUIntBE(5, 5), head.readUIntBE(10, 5)];
  if (!Object.hasOwn(secrets, keyId)) throw new DeskgateError("unknown_key", "there is no secret of this key id");
  if (!timingSafeEqual(mac(keySecret(secrets[keyId]), head, app, user), data.subarray(31))) {
    throw new DeskgateError("wrong_mac", "made with another secret, or for another app or user");
  }
  if (issuedAt > now + CLOCK_SKEW) throw new DeskgateError("issued_in_future", "issued later than now; one of the clocks is wrong");
  if (expiresAt !== 0 && now > expiresAt + CLOCK_SKEW) throw new DeskgateError("expired", "its life is over");
}

/**
 * Throws DeskgateError unless the service has signed this request (Standard Webhooks) at most `tolerance` seconds from now.
 *
 * `headers` are those of node:http or of fetch, `body` is raw, as it was received, and
 * `secrets` (`whsec_…`) are several while one is replaced. A retry has the same `webhook-id`, so remember the ids that you have processed.
 */
export function verifyEvent(headers, body, secrets, { now = unixTime(), tolerance = 300 } = {}) {
  const given = new Map();
  for (const [name, value] of typeof headers.entries === "function" ? headers.entries() : Object.entries(headers)) {
    given.set(name.toLowerCase(), String(value));
  }
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => given.get("webhook-" + name));
  if (!id || !timestamp || !signatures) {
    throw new DeskgateError("missing_header", "expected webhook-id, webhook-timestamp and webhook-signature");
  }
  if (secrets.length === 0) throw new DeskgateError("bad_secret", "expected at least one secret");
  let genuine = false;
  for (const key of secrets.map(signingSecret)) {
    const code = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
    const expected = Buffer.from("v1," + code);
    for (const signature of signatures.split(" ").map((part) => Buffer.from(part))) {
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) genuine = true;
    }
  }
  if (!genuine || id.includes(".") || !/^[0-9]{1,15}$/.test(timestamp)) {
    throw new DeskgateError("not_genuine", "made with another secret, or of another body");
  }
  if (Math.abs(now - Number(timestamp)) > tolerance) throw new DeskgateError("expired", "signed too long before or after now");
}

function unixTime() {
  return Math.floor(Date.now() / 1000);
}

function mac(secret, head, app, user) {
  const hmac = createHmac("sha256", secret).update("deskgate/sk/v1").update(head);
  for (const identifier of [app, user]) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(identifier.length);
    hmac.update(length).update(identifier);
  }
  return hmac.digest();
}

/** The UTF-8 of a text of 1 to `longest` UTF-16 units without control characters. */
function text(name, value, longest) {
  if (typeof value !== "string") throw new DeskgateError("bad_argument", `${name} is a string`);
  if (value === "") throw new DeskgateError("empty", `${name} is empty`);
  if (/[\x00-\x1f\x7f]/.test(value)) throw new DeskgateError("control_character", `${name} has a control character`);
  if (value.length > longest) throw new DeskgateError("too_long", `${name} has more than ${longest} UTF-16 units`);
  if (/\p{Surrogate}/u.test(value)) throw new DeskgateError("not_unicode", `${name} has half of a surrogate pair`);
  return Buffer.from(value, "utf8");
}

function keySecret(secret) {
  if (!/^[A-Za-z0-9_-]{43}$/.test(secret.trim())) {
    throw new DeskgateError("bad_secret", "a secret is 43 base64url characters, as deskgate secret new prints it");
  }
  return Buffer.from(secret.trim(), "base64url");
}

function signingSecret(secret) {
  const base64 = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/.exec(secret.trim())?.[1];
  if (base64 === undefined || base64.length % 4 !== 0) {
    throw new DeskgateError("bad_secret", "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it");
  }
  return Buffer.from(base64, "base64");
}
