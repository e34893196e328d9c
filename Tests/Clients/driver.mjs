// Asks clients/deskgate.mjs what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { DeskgateError, mintSecurityKey, verifyEvent, verifySecurityKey } from "./deskgate.mjs";

const bytes = (field) => Buffer.from(field, "hex");
const text = (field) => bytes(field).toString("utf8");
const pairs = (fields) => Object.fromEntries(fields.map((field) => field.split(":").map(text)));

function example(request) {
  const secret = readFileSync("secrets/app-1.key", "utf8");
  const securityKey = mintSecurityKey("my-app", "user-1", 1, secret); // for the signed-in user
  verifySecurityKey("my-app", "user-1", securityKey, { 1: secret }); // in a test of yours
  const signingSecret = readFileSync("secrets/backend.key", "utf8");
  verifyEvent(request.headers, request.body, [signingSecret]); // throws DeskgateError: answer 401
  return securityKey;
}

function ofSendbird(request) {
  const secret = readFileSync("secrets/sendbird-1.key", "utf8");
  const signingSecret = readFileSync("secrets/backend.key", "utf8");
  const securityKey = mintSecurityKey("sendbird-app", "user-1", 1, secret); // for POST /sendbird/session-token
  verifyEvent(request.headers, request.body, [signingSecret]); // throws DeskgateError: answer 401
  const event = JSON.parse(request.body);
  const score = event.type === "ticket.rated" ? event.data.score : null;
  return `${securityKey} ${score}`;
}

function read(body) {
  const event = JSON.parse(body);
  return `${event.type} ${event.data.ticket_id}`;
}

function answer(command, fields) {
  if (command === "mint") {
    const [app, user, keyId, secret, lifetime, now, salt] = fields;
    const options = { lifetime: Number(lifetime) };
    if (now !== "-") Object.assign(options, { now: Number(now), salt: bytes(salt) });
    return mintSecurityKey(text(app), text(user), Number(keyId), text(secret), options);
  }
  if (command === "verify") {
    const [app, user, key, now, ...secrets] = fields;
    verifySecurityKey(text(app), text(user), text(key), pairs(secrets), { now: Number(now) });
    return "valid";
  }
  if (command === "event" || command === "read") {
    const [now, body, secrets, ...headers] = fields;
    verifyEvent(pairs(headers), bytes(body), secrets.split(",").slice(0, -1).map(text), { now: Number(now) });
    return command === "event" ? "genuine" : read(text(body));
  }
  if (command === "not-unicode") return mintSecurityKey("app", "\ud800", 1, "A".repeat(43));
  if (command === "half-second") return mintSecurityKey("app", "user", 1, "A".repeat(43), { lifetime: 0.5 });
  if (command === "number") return mintSecurityKey("app", 42, 1, "A".repeat(43));
  const [body, ...headers] = fields;
  if (command === "sendbird") return ofSendbird({ headers: pairs(headers), body: bytes(body) });
  example({ headers: new Headers(pairs(headers)), body: bytes(body) });
  return example({ headers: pairs(headers), body: bytes(body) });
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...fields] = line.split("\t");
  try {
    console.log(answer(command, fields));
  } catch (error) {
    if (!(error instanceof DeskgateError)) throw error;
    console.log(error.reason);
  }
}
