// What TypeScript must accept of clients/deskgate.d.mts, and what it must not.
import { DeskgateError, mintSecurityKey, verifyEvent, verifySecurityKey } from "./deskgate.mjs";

const securityKey: string = mintSecurityKey("my-app", "user-1", 1, "secret", { lifetime: 60, now: 1, salt: new Uint8Array(16) });
verifySecurityKey("my-app", "user-1", securityKey, { 1: "secret" }, { now: 1 });
const incoming: { [name: string]: string | string[] | undefined } = {};
verifyEvent(incoming, new Uint8Array(), ["secret"]);
verifyEvent(new Map([["webhook-id", "1"]]), "{}", ["secret"], { now: 1, tolerance: 300 });
const reason: string = new DeskgateError("expired", "its life is over").reason;

// @ts-expect-error: a number is no user id
mintSecurityKey("my-app", 42, 1, reason);
// @ts-expect-error: the secret is missing
mintSecurityKey("my-app", "user-1", 1);
// @ts-expect-error: a parsed body cannot be verified
verifyEvent(incoming, { type: "comment.created" }, ["secret"]);
