// Tickets of Sendbird Desk: those of an app with their ratings, one of them; close, reopen.

import { ask, askText, path } from "./api.js";
import { address } from "./address.js";
import { appsOfSendbird } from "./apps.js";
import { h, put } from "./dom.js";
import { number, time } from "./format.js";
import { parse, sum } from "./metrics.js";
import { announce, appField, badge, card, confirm, empty, facts, head, longTable, notice, show, table } from "./ui.js";
import { newest, stored } from "./view-find.js";
import { t, word } from "./words.js";

const STATES = ["INITIALIZED", "PENDING", "ACTIVE", "IDLE", "WORK_IN_PROGRESS", "CLOSED"];
const tones = { PENDING: "warn", ACTIVE: "good", IDLE: "good", WORK_IN_PROGRESS: "good" };
const CLOSABLE = ["ACTIVE", "IDLE"];
const SCORES = [5, 4, 3, 2, 1];
const RATINGS = "deskgate_ticket_ratings_total";
// How often the page looks for the event of a change, and how many milliseconds apart.
const LOOKS = 10;
const PAUSE = 1500;
// An event goes to several notifiers, each with a delivery of its own.
const MOST_RATINGS = 40;

/** The ticket that was changed here last, and the newest delivery about it before. */
let changed = null;

/** Shows the tickets of an app, or the one that the address names. */
export async function tickets(context) {
  const { values, place, signal } = context;
  const known = (await appsOfSendbird(signal)).map((app) => app.app_id);
  if (!known.length) return put(place, head(t("view.tickets"), t("tickets.text")), empty(t("sendbird.none"), t("sendbird.none.text")));
  const app = values.app_id ?? known[0];
  return values.ticket_id || values.channel ? one(context, app) : list(context, known, app);
}

/** As `ask`; what the help desk refuses is told in the reader's language. */
async function askDesk(where, options) {
  try {
    return await ask(where, options);
  } catch (error) {
    error.message = word(`tickets.refusal.${error.code}`) ?? error.message;
    throw error;
  }
}

async function list({ values, place, signal }, known, app) {
  const wanted = { app_id: app, state: values.state, user_id: values.user_id, custom_field: values.custom_field };
  const count = path("/v1/tickets/count", { app_id: app, user_id: values.user_id });
  const [counts, rated, found] = [h("div"), h("div"), h("div")];
  put(place, head(t("view.tickets"), t("tickets.text"), [path("/v1/tickets", wanted), count, "/metrics"]), form(known, app, values),
    h("div", { class: "cards fit" }, card(t("tickets.states"), counts), card(t("tickets.ratings"), rated)), found);
  await Promise.all([
    show(counts, async () => stateFacts(await askDesk(count, { signal }))),
    show(rated, () => ratings(app, signal)),
    show(found, () => longTable(t("view.tickets"), columns(app), async (after) => {
      const page = await askDesk(path("/v1/tickets", { ...wanted, after }), { signal });
      return { rows: page.tickets, next: page.next };
    }, empty(t("tickets.none"), t("tickets.none.text")))),
  ]);
}

function form(known, app, values) {
  const field = (id, name, label, hint) => h("div", { class: "field grow" }, h("label", { for: id }, label),
    h("input", { id, name, value: values[name] ?? "", placeholder: hint, autocomplete: "off", spellcheck: "false" }));
  const state = h("div", { class: "field" }, h("label", { for: "ticket-state" }, t("state")),
    h("select", { id: "ticket-state", name: "state" }, ["open", "closed"].map((one) => h("option", { value: one, selected: one === values.state }, t(`tickets.${one}`)))));
  return h("form", { class: "line", onsubmit: (event) => {
    event.preventDefault();
    const chosen = Object.fromEntries([...new FormData(event.target)].map(([name, value]) => [name, value.trim()]));
    location.hash = address("tickets", chosen);
  } },
    appField(known, app), state, field("ticket-user", "user_id", t("user")), field("ticket-field", "custom_field", t("tickets.field"), "order=7"),
    h("button", { type: "submit", class: "primary" }, t("people.show")));
}

function stateFacts({ open, states }) {
  return facts([[t("tickets.open"), number(open)], ...STATES.filter((state) => state in states).map((state) => [stateBadge(state), number(states[state])])]);
}

function stateBadge(state) {
  return badge(word(`ticket.${state}`) ?? state ?? t("tickets.unknown"), tones[state] ?? "plain");
}

/** How often each score was given, and of which tickets last. What customers wrote with it is not shown. */
async function ratings(app, signal) {
  const [text, given] = await Promise.all([askText("/metrics", { signal }), newest({ app_id: app, type: "ticket.rated" }, MOST_RATINGS, signal)]);
  const samples = parse(text);
  const counts = SCORES.map((score) => ({ score, count: sum(samples, RATINGS, (labels) => labels.app === app && labels.score === String(score)) }));
  const all = counts.reduce((total, { count }) => total + count, 0);
  const mean = counts.reduce((total, { score, count }) => total + score * count, 0) / all;
  const events = given.filter((delivery, index) => given.findIndex((other) => other.event_id === delivery.event_id) === index);
  return [
    all ? facts([[t("tickets.mean"), number(mean, 2)], ...counts.map(({ score, count }) => [t("tickets.score", { score }), number(count)])]) : empty(t("tickets.no-ratings"), t("tickets.no-ratings.text")),
    events.length > 0 && table(t("tickets.rated"), [
      { title: t("tickets.rated"), cell: (delivery) => h("a", { href: address("find", { delivery_id: delivery.id }) }, time(delivery.occurred_at ?? delivery.received_at)) },
      { title: t("user"), wide: true, cell: (delivery) => person(app, delivery.user_id) },
      { title: t("ticket"), wide: true, cell: (delivery) => h("a", { href: address("tickets", { app_id: app, channel: delivery.ticket_id }) }, delivery.ticket_id) },
    ], events),
  ];
}

function columns(app) {
  return [
    { title: t("ticket"), number: true, tight: true, cell: ({ ticket_id: id }) => h("a", { href: address("tickets", { app_id: app, ticket_id: id }) }, id) },
    { title: t("tickets.title"), wide: true, cell: ({ title }) => h("bdi", {}, title ?? "–") },
    { title: t("state"), cell: ({ state }) => stateBadge(state) },
    { title: t("user"), wide: true, cell: ({ user_id: user }) => person(app, user) },
    { title: t("tickets.group"), cell: ({ group_key: group }) => group ?? "–" },
    { title: t("tickets.agent"), cell: ({ agent }) => h("bdi", {}, agent ?? "–") },
    { title: t("tickets.priority"), cell: ({ priority }) => word(`priority.${priority}`) ?? priority ?? "–" },
    { title: t("tickets.rating"), number: true, cell: ({ rating }) => (rating ? number(rating.score) : "–") },
    { title: t("tickets.changed"), cell: ({ updated_at: at }) => time(at) },
  ];
}

function person(app, user) {
  return user ? h("a", { href: address("find", { user_id: user, app_id: app }) }, h("bdi", {}, user)) : "–";
}

async function one(context, app) {
  const { values, place, signal, mayChange } = context;
  const where = path("/v1/tickets/show", { app_id: app, ticket_id: values.ticket_id, channel: values.ticket_id ? undefined : values.channel });
  const [about, events] = [h("div", { class: "stack" }), h("div")];
  put(place, head([`${t("ticket")} `, h("bdi", {}, values.ticket_id ?? values.channel)], `${t("app")}: ${app}`, [where], h("a", { class: "button", href: address("tickets", { app_id: app }) }, t("tickets.all"))),
    about, events);
  await show(about, async () => {
    const ticket = await askDesk(where, { signal });
    show(events, () => story(app, ticket, context)).then(() => follow(app, ticket, context, events));
    return [!mayChange ? notice(t("read-only"), "plain") : buttons(context, app, ticket), card(ticket.title ?? t("tickets.untitled"), ticketFacts(app, ticket))];
  });
}

function ticketFacts(app, ticket) {
  return facts([
    [t("state"), stateBadge(ticket.state)],
    [t("tickets.number"), String(ticket.ticket_id)],
    [t("tickets.channel"), ticket.channel ? h("code", {}, ticket.channel) : "–"],
    ticket.channel_type && [t("tickets.from"), h("code", {}, ticket.channel_type)],
    [t("user"), person(app, ticket.user_id)],
    [t("tickets.group"), ticket.group_key ?? "–"],
    [t("tickets.agent"), h("bdi", {}, ticket.agent ?? "–")],
    [t("tickets.priority"), word(`priority.${ticket.priority}`) ?? ticket.priority ?? "–"],
    [t("tickets.rating-of-desk"), ticket.rating ? t("tickets.score", { score: ticket.rating.score }) : "–"],
    ...Object.entries(ticket.custom_fields).map(([key, value]) => [h("code", {}, key), h("bdi", {}, value)]),
    ticket.related_channels.length > 0 && [t("tickets.related"), ticket.related_channels.map(channel)],
    [t("created"), time(ticket.created_at)],
    [t("tickets.changed"), time(ticket.updated_at)],
  ]);
}

function channel({ channel: url, name }, place) {
  return [place > 0 && ", ", h("code", {}, url), name && [" (", h("bdi", {}, name), ")"]];
}

/** What Deskgate has told of it. Its events go by its channel. */
async function story(app, ticket, context) {
  const events = ticket.channel ? await stored({ app_id: app, ticket_id: ticket.channel }, context) : empty(t("find.no-deliveries"), t("find.no-deliveries.text"));
  return h("section", {}, h("h2", {}, t("tickets.events")), events);
}

/** After a change here, shows what was told of it as soon as the help desk's webhook has come. */
async function follow(app, ticket, context, events) {
  if (changed?.id !== ticket.ticket_id) return;
  let known = changed.before;
  changed = null;
  for (let look = 0; look < LOOKS && events.isConnected; look += 1) {
    const latest = await latestDelivery(app, ticket, context.signal).catch(() => known);
    if (latest !== known) await show(events, () => story(app, ticket, context), true);
    known = latest;
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}

/** The id of the newest delivery about a ticket; null for none. */
async function latestDelivery(app, { channel }, signal) {
  if (!channel) return null;
  return (await newest({ app_id: app, ticket_id: channel }, 1, signal))[0]?.id ?? null;
}

function buttons(context, app, ticket) {
  const act = (name) => h("button", { type: "button", onclick: () => change(context, app, ticket, name) }, t(`tickets.${name}`));
  return h("div", { class: "buttons actions" }, CLOSABLE.includes(ticket.state) && act("close"), ticket.state === "CLOSED" && act("reopen"));
}

function change({ again, signal }, app, ticket, name) {
  const { ticket_id: id } = ticket;
  confirm({
    title: t(`tickets.${name}.title`, { ticket: id }), text: t(`tickets.${name}.text`), action: t(`tickets.${name}`),
    fields: name === "close" ? [{ name: "comment", label: t("tickets.comment"), hint: t("tickets.comment.hint") }] : [],
    done: async ({ comment }) => {
      const before = await latestDelivery(app, ticket, signal);
      await askDesk(`/v1/tickets/${name}`, { method: "POST", body: { app_id: app, ticket_id: id, ...(comment ? { comment } : {}) } });
      changed = { id, before };
      const text = t(`tickets.${name}.done`);
      await again();
      announce(text);
      return text;
    },
  });
}
