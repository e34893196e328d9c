// Notifiers: state, what waits, why one is paused, when a credential ends, a test.

import { ask, path, spoken } from "./api.js";
import { address } from "./address.js";
import { serviceNow } from "./clock.js";
import { h, put } from "./dom.js";
import { ago, duration, number, prose, time } from "./format.js";
import { giveUp, remedy } from "./remedies.js";
import { badge, confirm, empty, facts, head, notice, show } from "./ui.js";
import { t, word } from "./words.js";

const SOON = 30 * 86400;
const tones = { working: "good", failing: "warn", open: "bad", half_open: "warn", paused: "bad" };

/** Shows the view. */
export async function notifiers(context) {
  const { values, place, signal } = context;
  const [told, list] = [h("div"), h("div", { class: "cards" })];
  const json = path("/v1/notifiers", { lang: spoken() });
  put(place, head(t("view.notifiers"), t("notifiers.text"), [json]), told, list);
  await show(list, async () => {
    const { notifiers: found } = await ask(json, { signal });
    return found.length ? found.map((notifier) => one(notifier, context, told, notifier.name === values.notifier)) : empty(t("notifiers.none"), t("notifiers.none.text"));
  });
  list.querySelector(".wanted")?.scrollIntoView({ block: "center" });
}

function one(notifier, context, told, isWanted) {
  const { mayChange } = context;
  const state = notifier.state ?? "unknown";
  return h("section", { class: `card notifier ${tones[state] ?? ""}${isWanted ? " wanted" : ""}` },
    h("div", { class: "card-head" }, h("h2", {}, notifier.name), badge(word(`state.${state}`) ?? state, tones[state])),
    notifier.reason && h("div", { class: "remedy" }, h("p", {}, h("span", { class: "strong" }, t("notifiers.paused")), " ", prose(notifier.meaning), " (", h("code", {}, notifier.reason), ")"), remedy(sentence(notifier.remedy), context)),
    !notifier.state && h("p", { class: "remedy" }, t("notifiers.unknown")),
    facts([
      [t("type"), notifier.type ?? "–"],
      [t("apps"), notifier.apps.join(", ") || t("none")],
      [t("notifiers.waiting"), notifier.pending === null ? t("store.silent") : number(notifier.pending)],
      [t("notifiers.oldest"), notifier.oldest_at ? [ago(notifier.oldest_at), " · ", time(notifier.oldest_at)] : "–"],
      [t("notifiers.credential"), credential(notifier.credential_expires_at)],
    ]),
    h("div", { class: "buttons" },
      notifier.pending > 0 && h("button", { type: "button", onclick: () => explain(notifier.name, told) }, t("notifiers.why")),
      !notifier.state && mayChange && h("button", { type: "button", class: "danger", onclick: () => giveUp(notifier.name, context) }, t("notifiers.give-up")),
      h("a", { href: address("dead", { notifier: notifier.name }), class: "button" }, t("view.dead")),
      notifier.can_test && mayChange && h("button", { type: "button", onclick: () => test(notifier.name, told) }, t("notifiers.test")),
      !notifier.can_test && notifier.type && h("p", { class: "quiet small" }, t("notifiers.no-test"))));
}

/** Leads to a delivery that waits: its timeline says why. */
async function explain(name, told) {
  try {
    const { deliveries } = await ask(path("/v1/deliveries", { notifier: name, state: "pending", limit: 1 }));
    if (deliveries.length) location.hash = address("find", { delivery_id: deliveries[0].id });
    else put(told, notice(t("notifiers.none-waits", { name })));
  } catch (error) {
    put(told, notice(error.message, "bad"));
  }
}

/** The remedy as a sentence, of which the service says the end. */
function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

function credential(expiresAt) {
  if (!expiresAt) return t("notifiers.no-end");
  const left = expiresAt - serviceNow();
  const text = left > 0 ? t("time.ahead", { duration: duration(left) }) : t("notifiers.expired");
  return [left < SOON ? badge(text, left > 0 ? "warn" : "bad") : text, " · ", time(expiresAt)];
}

function test(name, told) {
  confirm({
    title: t("notifiers.test.title", { name }), text: t("notifiers.test.text"), action: t("notifiers.test"),
    done: async () => {
      const { delivery_id: id } = await ask("/v1/notifiers/test", { method: "POST", body: { notifier: name } });
      put(told, notice([t("notifiers.test.done", { name }), " ", h("a", { href: address("find", { delivery_id: id }) }, t("follow"))]));
      return t("notifiers.test.done", { name });
    },
  });
}
