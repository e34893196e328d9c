// Find: one box leads to one timeline.

import { ask, path, spoken } from "./api.js";
import { address } from "./address.js";
import { apps } from "./apps.js";
import { h, put } from "./dom.js";
import { prose } from "./format.js";
import { columns } from "./view-dead.js";
import { retryOne } from "./remedies.js";
import { badge, empty, head, longTable, show, waiting } from "./ui.js";
import { story, timeline } from "./timeline.js";
import { t } from "./words.js";

// What an address may name; a person may stand beside a device, so the person comes last.
const named = ["comment_id", "ticket_id", "device_id", "delivery_id", "user_id"];
const MOST_APPS = 20;
const MOST_STORIES = 30;

/** Shows what the address names, or looks for what was typed. */
export async function find(context) {
  const { values, place } = context;
  if (values.kind === "key") return key(context);
  const field = named.find((name) => values[name]);
  if (field) return explain(context, field, values[field]);
  if (values.q) return look(context);
  put(place, head(t("view.find"), t("find.text")), empty(t("find.empty"), t("find.empty.text")));
}

/** The key stands in the request alone; of the page's address and history it is no part. */
async function key(context) {
  const { place, secret, signal } = context;
  put(place, head(t("find.key"), t("find.key.text")));
  if (!secret) return place.append(empty(t("find.key.gone"), t("find.key.gone.text")));
  const result = h("div");
  const judge = (user) => show(result, async () => verdicts(await judges(user, secret, signal), user, context));
  place.append(h("form", { class: "line", onsubmit: (event) => {
    event.preventDefault();
    judge(new FormData(event.target).get("user_id").trim() || undefined);
  } },
    h("div", { class: "field grow" }, h("label", { for: "owner" }, t("find.key.owner")), h("input", { id: "owner", name: "user_id", autocomplete: "off", spellcheck: "false" })),
    h("button", { type: "submit", class: "primary" }, t("find.key.judge"))), result);
  await judge();
}

/** The apps that are asked about a key: first the one whose secret made it, and those that have a secret with its id. */
async function judges(user, secret, signal) {
  const [{ found }, known] = await Promise.all([ask(path("/v1/find", { query: secret, user_id: user, kind: "security_key" }), { signal }), apps(signal)]);
  return [...new Set([...found.map((one) => one.app_id), ...known])].slice(0, MOST_APPS);
}

/** What authorization would say in each app. With a person it is certain; the app that the key was made for stands first. */
async function verdicts(known, user, context) {
  const { secret, signal } = context;
  const answers = [];
  for (const app of known) {
    answers.push({ app, found: await ask(path("/v1/explain", { app_id: app, user_id: user, security_key: secret, lang: spoken() }), { signal }) });
  }
  const order = ["ok", "note", "problem"];
  const rank = ({ outcome, steps }) => order.indexOf(outcome) + (steps.some((step) => step.step === "signature" && step.outcome === "ok") ? 0 : order.length);
  answers.sort((a, b) => rank(a.found) - rank(b.found));
  return answers.map(({ app, found }, index) => {
    const [finding, steps] = story(found, app, context);
    return h("section", {}, known.length > 1 && h("h2", {}, `${t("app")}: ${app}`), finding, index ? h("details", {}, h("summary", {}, t("find.steps")), steps) : steps);
  });
}

/** Looks in all apps for a text as everything that it can be, until something is found. Where that was not all, a person may have it go on. */
async function look({ values, place, signal }) {
  const text = values.q;
  const found = new Map();
  let next = null;
  const search = async () => {
    const known = found.size;
    do {
      const page = await ask(path("/v1/find", { query: text, kind: values.kind, after: next }), { signal });
      for (const one of page.found) note(hit(one, text));
      next = page.next;
    } while (next && found.size === known);
  };
  // Another page may know more of the same user.
  const note = (one) => {
    if (!one.href || (values.app_id && values.app_id !== one.app)) return;
    found.set(one.href, { ...one, sources: [...new Set([...(found.get(one.href)?.sources ?? []), ...one.sources])] });
  };
  const shown = async () => {
    await search();
    const all = [...found.values()];
    if (all.length === 1 && !next) {
      location.replace(all[0].href);
      return waiting();
    }
    if (!all.length) return nothing(text, values.kind, values.app_id ? [values.app_id] : await apps(signal));
    return [all.length > 1 && h("p", { class: "quiet" }, t("find.several")), hits(all), next && h("div", { class: "more" }, h("span", { class: "quiet" }, t("find.more.text")), h("button", { type: "button", onclick: () => show(result, shown) }, t("find.more")))];
  };
  const result = h("div");
  put(place, head(t("find.title", { text }), null), result);
  await show(result, shown);
}

/** What was found, with the address that shows it; none for a kind that no view shows. */
function hit({ kind, app_id: app, user_id: user, found_in: sources }, text) {
  const values = {
    user: { user_id: text, app_id: app }, device: { device_id: text, user_id: user, app_id: app }, comment: { comment_id: text, app_id: app },
    ticket: { ticket_id: text, app_id: app }, delivery: { delivery_id: text.toLowerCase() },
  }[kind];
  return { kind, app, person: kind === "device" ? user : null, sources: kind === "user" ? sources : [], href: values && address("find", values) };
}

function hits(found) {
  return h("ul", { class: "hits" }, found.map(({ kind, app, person, sources, href }) => h("li", {}, h("a", { href }, h("span", { class: "strong" }, t(`kind.${kind}`)), person && h("span", {}, person), h("span", { class: "quiet" }, app),
    sources.map((source) => badge(t(`find.in.${source}`), source === "block" || source === "former" ? "bad" : "plain"))))));
}

/** A text that is stored nowhere may still be asked about: why is this person refused? */
function nothing(text, kind, known) {
  const kinds = ["user", "comment", "device"].filter((one) => !kind || one === kind);
  const offers = kinds.flatMap((one) => known.slice(0, MOST_APPS).map((app) => hit({ kind: one, app_id: app, found_in: [] }, text)));
  return [empty(t("find.nothing", { text }), t("find.nothing.text")), offers.length > 0 && h("section", {}, h("h2", {}, t("find.anyway")), hits(offers))];
}

/** What the service explains; of a ticket what is stored of its deliveries. */
async function explain(context, field, value) {
  const { values, place, signal, mayChange } = context;
  const kind = field.replace("_id", "");
  const json = field === "ticket_id" ? path("/v1/deliveries", { ...pick(values, ["app_id", "ticket_id"]), lang: spoken() }) : path("/v1/explain", { ...pick(values, ["app_id", ...named]), lang: spoken() });
  const result = h("div");
  const person = field === "user_id" && values.app_id;
  put(place, head([`${t(`kind.${kind}`)} `, h("bdi", {}, value)], values.app_id ? `${t("app")}: ${values.app_id}${values.user_id && field !== "user_id" ? ` · ${t("user")}: ${values.user_id}` : ""}` : null, [json],
    person && h("a", { class: "button", href: address("people", { app_id: values.app_id, user_id: value }) }, t("find.person"))), result);
  await show(result, async () => {
    if (field === "ticket_id") return stored(values, context);
    return story(await ask(json, { signal }), values.app_id, context);
  });
  if (field === "delivery_id" && mayChange) await offerRetry(value, context);
  if (field !== "user_id" && field !== "ticket_id") return;
  const list = h("div");
  place.append(list);
  await show(list, async () => h("section", {}, h("h2", {}, t("find.deliveries")), await longTable(t("find.deliveries"), columns(), async (after) => {
    const page = await ask(path("/v1/deliveries", { ...pick(values, ["app_id", field]), lang: spoken(), after, limit: 50 }), { signal });
    return { rows: page.deliveries, next: page.next };
  }, empty(t("find.no-deliveries"), t("find.no-deliveries.text")))));
}

/** The newest deliveries that match. A search that finds little comes in short pages, so that no request takes long. */
export async function newest(criteria, count, signal) {
  const found = [];
  let after = null;
  do {
    const page = await ask(path("/v1/deliveries", { ...criteria, after, limit: count - found.length }), { signal });
    found.push(...page.deliveries);
    after = page.next;
  } while (after && found.length < count);
  return found;
}

/** The newest deliveries of a ticket with their attempts, oldest first. The service explains one at a time. */
export async function stored(values, context) {
  const { signal } = context;
  const deliveries = await newest(pick(values, ["app_id", "ticket_id"]), MOST_STORIES, signal);
  if (!deliveries.length) return empty(t("find.no-deliveries"), t("find.no-deliveries.text"));
  const stories = await Promise.all(deliveries.toReversed().map(({ id }) => ask(path("/v1/explain", { delivery_id: id, lang: spoken() }), { signal })));
  // Each begins with the event, which goes to several notifiers.
  const arrivals = new Set();
  return timeline(stories.flatMap(({ steps }) => steps.filter(({ references }) => isNew(references.event_id, arrivals))), values.app_id, context);
}

function isNew(event, arrivals) {
  if (event === undefined) return true;
  const isFirst = !arrivals.has(event);
  arrivals.add(event);
  return isFirst;
}

/** A dead delivery may be tried again where it is explained. */
async function offerRetry(id, context) {
  const delivery = await ask(path(`/v1/deliveries/${encodeURIComponent(id)}`, { lang: spoken() }), { signal: context.signal }).catch(() => null);
  // A remedy that says to retry has the button itself.
  if (delivery?.state !== "dead" || context.place.querySelector(".finding button")) return;
  const retry = () => retryOne(id, [h("p", {}, prose(delivery.meaning))], context);
  context.place.querySelector(".beside").prepend(h("button", { type: "button", onclick: retry }, t("find.retry")));
}

function pick(values, names) {
  return Object.fromEntries(names.filter((name) => values[name]).map((name) => [name, values[name]]));
}
