// Asks the admin listener with the session's cookie and secret.

import { hear } from "./clock.js";
import { sessionSecret } from "./session-secret.js";
import { language, t, word } from "./words.js";

const PATIENCE = 20_000;
let onEnd = () => {};

/** What the service, or the way to it, refused. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Sets what is done when the session has ended. */
export function whenSessionEnds(action) {
  onEnd = action;
}

/** Ends the session here when the service has ended it. */
export async function checkSession(options) {
  const secret = sessionSecret();
  const { role } = await ask("/session", { ...options, secret });
  if (!role) end(secret);
}

/** Ends the session here, unless the tab has gone on with another one since it sent the request with this secret. */
function end(secret) {
  if (secret === sessionSecret()) onEnd();
}

/** The language in which the service is to tell; undefined for its own. */
export function spoken() {
  return language() === "en" ? undefined : language();
}

/** Makes a path with a query of those values that are given. */
export function path(base, values = {}) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  const text = query.toString();
  return text ? `${base}?${text}` : base;
}

/** Asks and returns the JSON. `background` is what the page does by itself; it does not prolong the session. `secret` replaces the tab's own. */
export async function ask(where, options = {}) {
  const response = await send(where, options);
  return JSON.parse(await response.text(), whole);
}

/** Help desks number with 64 bits, of which a number here keeps 53: larger ones stay the text that they are. */
function whole(_, value, context) {
  return typeof value === "number" && !Number.isSafeInteger(value) && context?.source ? context.source : value;
}

/** Asks and returns the text. */
export async function askText(where, options = {}) {
  const response = await send(where, options);
  return response.text();
}

async function send(where, { method = "GET", body, background = false, signal, secret = sessionSecret() }) {
  const limit = AbortSignal.timeout(PATIENCE);
  let response;
  try {
    response = await fetch(where, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      headers: {
        ...(secret ? { "Deskgate-Session-Secret": secret } : {}),
        ...(body ? { "Content-Type": "application/json" } : {}),
        ...(background ? { "Deskgate-Background": "1" } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const late = error.name === "TimeoutError";
    throw new Refusal(0, late ? "timeout" : "unreachable", late ? t("error.timeout") : t("error.unreachable"));
  }
  hear(response);
  if (response.ok) return response;
  throw await refusal(response, where, secret);
}

async function refusal(response, where, secret) {
  let answer = {};
  try {
    answer = await response.json();
  } catch {
    // A proxy's page, for example.
  }
  const found = new Refusal(response.status, answer.error ?? "", told(answer) ?? t("error.status", { status: response.status }));
  if (response.status === 401 && where !== "/session") end(secret);
  return found;
}

/** What was refused, in the reader's language. The service says it in English, where the text begins with the field that it did not take. */
function told({ error, message }) {
  if (language() === "en") return message;
  const key = `refusal.${error}`;
  return word(key) === null ? undefined : t(key, { field: /^([\w.[\]]+):/.exec(message)?.[1] ?? "–" });
}

/** All pages of a list, at most `most` entries. */
export async function all(base, values, member, most, options = {}) {
  const found = [];
  let after;
  do {
    const page = await ask(path(base, { ...values, after, limit: Math.min(1000, most) }), options);
    found.push(...page[member]);
    after = page.next;
  } while (after && found.length < most);
  return { found, next: after };
}
