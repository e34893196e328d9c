// Starts the page: signs in and out, shows the view of the address, searches.

import { address, place } from "./address.js";
import { ask, checkSession, whenSessionEnds } from "./api.js";
import { idleViews } from "./apps.js";
import { h, put, say } from "./dom.js";
import { askTabs, dropSecret, giveSecret, keepSecret, sessionSecret, whenGiven } from "./session-secret.js";
import { language, speak, t } from "./words.js";
import { recovering, trouble } from "./ui.js";
import { bots } from "./view-bots.js";
import { configuration } from "./view-configuration.js";
import { dead } from "./view-dead.js";
import { find } from "./view-find.js";
import { json } from "./view-json.js";
import { keys } from "./view-keys.js";
import { notifiers } from "./view-notifiers.js";
import { now } from "./view-now.js";
import { people } from "./view-people.js";
import { sessions } from "./view-sessions.js";
import { store } from "./view-store.js";
import { tickets } from "./view-tickets.js";

const views = { now, notifiers, dead, people, tickets, sessions, bots, keys, store, configuration, find, json };
const shown = ["now", "notifiers", "dead", "people", "tickets", "sessions", "bots", "keys", "store", "configuration"];
const kinds = ["auto", "user", "comment", "ticket", "device", "delivery", "key"];
const part = (id) => document.getElementById(id);

/** Who is signed in; null for nobody. */
let session = null;
/** Settles when every secret that another tab has given so far has been tried. */
let adoption = Promise.resolve();
/** The views that have nothing to show with the configuration in force. */
let idle = [];
/** Ends what the view that is shown does by itself. */
let leave = new AbortController();
/** A security key that was searched for. It stands nowhere but here: not in the address, and not in the history. */
let secret = null;

async function start() {
  label();
  whenSessionEnds(() => {
    if (!session) return;
    enter(t("session.ended"));
    askTabs();
  });
  window.addEventListener("hashchange", () => session && render());
  part("sign-in").addEventListener("submit", signIn);
  part("finder").addEventListener("submit", search);
  // A field that keeps the focus would take the next `/`.
  part("shell").addEventListener("submit", () => part("content").focus({ preventScroll: true }));
  part("sign-out").addEventListener("click", signOut);
  part("skip").addEventListener("click", (event) => {
    event.preventDefault();
    (session ? part("content") : part("token")).focus();
  });
  part("language").addEventListener("change", (event) => {
    speak(event.target.value);
    label();
    if (session) render();
  });
  document.addEventListener("keydown", shortcut);
  watchUse();
  // One at a time: several tabs may give the same secret.
  whenGiven((given) => { adoption = adoption.then(() => adopt(given)).catch(() => {}); });
  // Other tabs usually answer before the service does, so the sign-in form does not flash.
  askTabs();
  await resume();
}

async function resume() {
  let found = null;
  let text = "";
  try {
    found = await ask("/session");
  } catch (error) {
    text = error.message;
  }
  await adoption;
  if (session) return;
  if (found?.role) await open(found);
  else enter(text);
}

/** Goes on with the session of another tab. If that tab has signed in again, the cookie no longer proves the session of this one. */
async function adopt(given) {
  const former = sessionSecret();
  if (given === former) return;
  const found = await ask("/session", { secret: given });
  // The operator may have signed in or out in this tab meanwhile.
  if (!found.role || sessionSecret() !== former) return;
  keepSecret(given);
  // With the same token the open view stays, and a dialog with it.
  if (found.role !== session?.role || found.token !== session?.token) await open(found);
}

/** Shows the entrance. */
function enter(text) {
  leave.abort();
  session = null;
  secret = null;
  part("shell").hidden = true;
  part("entrance").hidden = false;
  document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
  put(part("content"));
  part("entrance-error").textContent = text;
  part("query").value = "";
  part("token").focus();
}

async function open(found) {
  idle = await idleViews().catch(() => []);
  session = found;
  // A browser takes the focus from a hidden field later, or not at all, and until then the field takes the keys.
  if (part("entrance").contains(document.activeElement)) document.activeElement.blur();
  part("token").value = "";
  part("entrance").hidden = true;
  part("shell").hidden = false;
  label();
  render();
}

async function signIn(event) {
  event.preventDefault();
  const field = part("token");
  part("sign-in-button").disabled = true;
  part("entrance-error").textContent = "";
  try {
    const found = await ask("/session", { method: "POST", body: { token: field.value } });
    keepSecret(found.secret);
    giveSecret();
    await open(found);
  } catch (error) {
    part("entrance-error").textContent = error.status === 401 ? t("sign-in.wrong") : error.status === 403 ? t("sign-in.forbidden", { message: error.message }) : error.message;
    field.focus();
    field.select();
  }
  part("sign-in-button").disabled = false;
}

async function signOut() {
  try {
    await ask("/session", { method: "DELETE" });
  } catch (error) {
    // 401: it has ended already.
    if (error.status !== 401) return put(part("content"), trouble(error, signOut));
  }
  dropSecret();
  enter("");
  return say(t("signed-out"));
}

/** A security key is recognised before it could get into the address. */
function search(event) {
  event.preventDefault();
  const text = part("query").value.trim();
  if (!text) {
    event.stopPropagation();
    return part("query").focus();
  }
  const kind = part("kind").value;
  if (kind === "key" || (kind === "auto" && /^dgk\d*\./.test(text))) {
    secret = text;
    part("query").value = "";
    return go(address("find", { kind: "key" }));
  }
  secret = null;
  return go(address("find", { q: text, kind: kind === "auto" ? undefined : kind }));
}

function go(where) {
  if (location.hash === where) render();
  else location.hash = where;
}

async function render() {
  leave.abort();
  leave = new AbortController();
  const { name: wanted, values } = place();
  const name = Object.hasOwn(views, wanted) ? wanted : "now";
  const content = h("div", { class: `view view-${name}` });
  put(part("content"), content);
  document.title = `${t(`view.${name}`)} · Deskgate`;
  for (const link of part("views").children) {
    if (link.dataset.view === name) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    } else link.removeAttribute("aria-current");
  }
  part("query").value = name === "find" ? values.q ?? "" : "";
  part("kind").value = name === "find" && kinds.includes(values.kind) ? values.kind : "auto";
  window.scrollTo(0, 0);
  const context = { values, place: content, signal: leave.signal, mayChange: session.role === "operate", secret, again: render, role: session.role };
  try {
    await views[name](context);
  } catch (error) {
    if (error?.name !== "AbortError") put(content, h("h1", {}, t(`view.${name}`)), recovering(error, render));
  }
}

/** Everything outside the views, in the language in use. */
function label() {
  document.documentElement.lang = language();
  part("language").value = language();
  const texts = {
    skip: "skip", "token-label": "sign-in.token", "sign-in-button": "sign-in", "entrance-text": "sign-in.text", "entrance-hint": "sign-in.hint",
    "query-label": "search.label", "kind-label": "search.kind", "find-button": "search.find", "language-label": "language", "sign-out": "sign-out",
  };
  for (const [id, key] of Object.entries(texts)) part(id).textContent = t(key);
  part("query").placeholder = t("search.hint");
  put(part("kind"), kinds.map((kind) => h("option", { value: kind }, t(`kind.${kind}`))));
  part("views").setAttribute("aria-label", t("views"));
  put(part("views"), shown.filter((name) => !idle.includes(name)).map((name) => h("a", { href: address(name), "data-view": name }, t(`view.${name}`))));
  if (!session) document.title = "Deskgate";
  else {
    part("role").textContent = t(`role.${session.role}`);
    part("role").title = session.token;
  }
}

/** `/` goes to the search, as in many programs. A former text is selected, so that typing replaces it. */
function shortcut(event) {
  const isTyping = event.target.closest?.("input, select, textarea, dialog");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping || !session) return;
  event.preventDefault();
  part("query").focus();
  part("query").select();
}

/** What charts ask by themselves does not prolong a session; a person who moves or types does, at most once a minute. */
function watchUse() {
  let told = performance.now();
  const use = () => {
    if (!session || performance.now() - told < 60_000) return;
    told = performance.now();
    checkSession({}).catch(() => {});
  };
  for (const kind of ["keydown", "pointerdown", "pointermove"]) document.addEventListener(kind, use, { passive: true });
}

start();
