// What happened, in order, with what it means and what to do.

import { address } from "./address.js";
import { h } from "./dom.js";
import { prose, time } from "./format.js";
import { remedy as todo } from "./remedies.js";
import { badge } from "./ui.js";
import { t, word } from "./words.js";

const marks = { ok: "✓", problem: "!", note: "i" };
const links = { delivery_id: "delivery_id", user_id: "user_id", comment_id: "comment_id", device_id: "device_id", ticket_id: "ticket_id" };

/** The answer in one sentence, what to do first, and the steps. `context` is the view's, for the buttons beside remedies. */
export function story({ outcome, finding, remedy, steps }, app, context) {
  const cause = steps.find((step) => step.remedy === remedy);
  return [
    h("div", { class: `finding ${outcome}` },
      h("p", { class: "finding-text" }, badge(t(`outcome.${outcome}`), { ok: "good", problem: "bad", note: "warn" }[outcome]), " ", prose(finding)),
      remedy && todo(remedy, context, cause?.references.delivery_id)),
    timeline(steps, app, context, { first: remedy }),
  ];
}

/** The steps as a list. `first` is a remedy that stands above already. */
export function timeline(steps, app, context, { first } = {}) {
  return h("ol", { class: "timeline" }, steps.map((step) => h("li", { class: `step ${step.outcome}` },
    h("span", { class: "mark", role: "img", "aria-label": t(`outcome.${step.outcome}`) }, marks[step.outcome] ?? "i"),
    h("div", { class: "step-body" },
      h("p", { class: "step-head" }, h("span", { class: "strong" }, word(`step.${step.step}`) ?? step.step), step.at && time(step.at)),
      h("p", { class: "step-text" }, prose(step.text)),
      step.remedy && step.remedy !== first && todo(step.remedy, context, step.references.delivery_id, { class: "step-remedy" }),
      references(step.references, app)))));
}

function references(found = {}, app) {
  const entries = Object.entries(found).filter(([, value]) => value !== "");
  if (!entries.length) return null;
  return h("p", { class: "step-references" }, entries.map(([name, value]) => h("span", {}, h("span", { class: "quiet" }, `${word(name) ?? name} `),
    name === "bot_call_id" ? h("a", { href: address("bots", { call_id: value }) }, h("bdi", {}, value)) : name in links ? h("a", { href: address("find", { [links[name]]: value, app_id: name === "delivery_id" ? undefined : app }) }, h("bdi", {}, value)) : h("code", {}, value))));
}

/** The reasons of deliveries that are stored as delivered although no one was notified, as people read them. */
const unheard = new Map([["logged", "logged"], ["withdrawn", "withdrawn"], ["superseded_by_read", "superseded"]]);

/** A delivery's state, or an attempt's outcome, as people read it. */
export const shownState = (state, reason) => (state === "delivered" && unheard.get(reason)) || state;
