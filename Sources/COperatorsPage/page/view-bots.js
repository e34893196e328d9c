// Bots: which functions they have called for whom, and what came of it.

import { ask, path, spoken } from "./api.js";
import { address } from "./address.js";
import { apps } from "./apps.js";
import { h, put } from "./dom.js";
import { prose, time } from "./format.js";
import { badge, card, empty, facts, head, longTable, show } from "./ui.js";
import { t, word } from "./words.js";

const outcomes = ["started", "succeeded", "refused", "failed", "timed_out", "invalid", "limited", "denied", "confirmation_required", "unknown"];
const tones = { succeeded: "good", failed: "bad", timed_out: "bad", unknown: "bad", refused: "warn", limited: "warn", denied: "warn" };
const names = ["app_id", "user_id", "bot", "function", "outcome"];

/** Shows the calls that match the address, or the one that it names. */
export async function bots({ values, place, signal }) {
  if (values.call_id) return one(values.call_id, place, signal);
  const filter = Object.fromEntries(names.filter((name) => values[name]).map((name) => [name, values[name]]));
  const list = h("div");
  put(place, head(t("view.bots"), t("bots.text"), [path("/v1/bots/calls", { ...filter, lang: spoken() })]), form(await apps(signal), values), list);
  await show(list, () => longTable(t("bots.calls"), columns(), async (after) => {
    const page = await ask(path("/v1/bots/calls", { ...filter, lang: spoken(), after, limit: 100 }), { signal });
    return { rows: page.calls, next: page.next };
  }, empty(t("bots.none"), t(Object.keys(filter).length ? "bots.none.filter" : "bots.none.text"))));
}

async function one(id, place, signal) {
  const asked = path(`/v1/bots/calls/${encodeURIComponent(id)}`, { lang: spoken() });
  const told = h("div");
  put(place, head(t("bots.call"), h("code", {}, h("bdi", {}, id)), [asked], h("a", { class: "button", href: address("bots") }, t("bots.all"))), told);
  await show(told, async () => {
    const call = await ask(asked, { signal });
    return card("", h("p", {}, outcome(call)), h("p", {}, prose(call.meaning)), call.remedy && remedy(call.remedy), facts([
      [t("bots.bot"), h("bdi", {}, call.bot)], [t("bots.function"), h("code", {}, h("bdi", {}, call.function))], [t("user"), person(call)], [t("app"), call.app_id],
      [t("bots.began"), time(call.at)], [t("bots.ended"), call.ended_at && time(call.ended_at)], [t("bots.status"), call.status_code],
      [t("reason"), call.reason && h("code", {}, call.reason)], [t("bots.digest"), call.arguments_sha256 && h("code", { class: "wrap" }, call.arguments_sha256)],
      call.arguments !== null && [t("bots.arguments"), h("code", { class: "wrap" }, h("bdi", {}, call.arguments))],
    ]));
  });
}

function columns() {
  return [
    { title: t("bots.began"), cell: (call) => h("a", { href: address("bots", { call_id: call.id }) }, time(call.at)) },
    { title: t("bots.outcome"), wide: true, cell: (call) => [outcome(call), h("p", {}, prose(call.meaning)), call.remedy && remedy(call.remedy)] },
    { title: t("bots.bot"), cell: (call) => h("bdi", {}, call.bot) },
    { title: t("bots.function"), cell: (call) => h("a", { href: address("bots", { app_id: call.app_id, bot: call.bot, function: call.function }) }, h("code", {}, h("bdi", {}, call.function))) },
    { title: t("user"), wide: true, cell: person },
  ];
}

function outcome(call) {
  return badge(word(`bots.outcome.${call.outcome}`) ?? call.outcome, tones[call.outcome]);
}

function remedy(text) {
  return h("p", { class: "quiet small" }, h("span", { class: "strong" }, t("to-do")), " ", prose(text));
}

function person(call) {
  return h("a", { href: address("people", { app_id: call.app_id, user_id: call.user_id }) }, h("bdi", {}, call.user_id));
}

function form(known, values) {
  const chooser = (name, label, options) => h("div", { class: "field" }, h("label", { for: `bots-${name}` }, label),
    h("select", { id: `bots-${name}`, name }, h("option", { value: "" }, t("bots.any")), options.map(([value, text]) => h("option", { value, selected: value === values[name] }, text))));
  const input = (name, label) => h("div", { class: "field grow" }, h("label", { for: `bots-${name}` }, label),
    h("input", { id: `bots-${name}`, name, value: values[name] ?? "", autocomplete: "off", spellcheck: "false" }));
  return h("form", { class: "line", onsubmit: (event) => {
    event.preventDefault();
    const chosen = new FormData(event.target);
    location.hash = address("bots", Object.fromEntries(names.map((name) => [name, chosen.get(name).trim()])));
  } },
    chooser("app_id", t("app"), known.map((app) => [app, app])), input("user_id", t("user")), input("bot", t("bots.bot")), input("function", t("bots.function")),
    chooser("outcome", t("bots.outcome"), outcomes.map((name) => [name, word(`bots.outcome.${name}`) ?? name])),
    h("button", { type: "submit", class: "primary" }, t("bots.show")));
}
