// Notifiers: state, what waits, why one is paused, when a credential ends, a test.

import { ask } from "./api.js";
import { address } from "./address.js";
import { h, put } from "./dom.js";
import { ago, duration, number, time } from "./format.js";
import { badge, confirm, empty, facts, head, notice, show } from "./ui.js";
import { t, word } from "./words.js";

const SOON = 30 * 86400;
const tones = { working: "good", failing: "warn", open: "bad", half_open: "warn", paused: "bad" };

/** Shows the view. */
export async function notifiers({ place, signal, mayChange }) {
  const [told, list] = [h("div"), h("div", { class: "cards" })];
  put(place, head(t("view.notifiers"), t("notifiers.text"), ["/v1/notifiers"]), told, list);
  await show(list, async () => {
    const { notifiers: found } = await ask("/v1/notifiers", { signal });
    return found.length ? found.map((notifier) => one(notifier, mayChange, told)) : empty(t("notifiers.none"), t("notifiers.none.text"));
  });
}

function one(notifier, mayChange, told) {
  const state = notifier.state ?? "unknown";
  return h("section", { class: `card notifier ${tones[state] ?? ""}` },
    h("div", { class: "card-head" }, h("h2", {}, notifier.name), badge(word(`state.${state}`) ?? state, tones[state])),
    notifier.reason && h("div", { class: "remedy" }, h("p", {}, h("span", { class: "strong" }, t("notifiers.paused")), " ", h("code", {}, notifier.reason)), h("p", { lang: "en" }, notifier.remedy)),
    !notifier.state && h("p", { class: "remedy" }, t("notifiers.unknown")),
    facts([
      [t("type"), notifier.type ?? "–"],
      [t("apps"), notifier.apps.join(", ") || t("none")],
      [t("notifiers.waiting"), notifier.pending === null ? t("store.silent") : number(notifier.pending)],
      [t("notifiers.oldest"), notifier.oldest_at ? [ago(notifier.oldest_at), " · ", time(notifier.oldest_at)] : "–"],
      [t("notifiers.credential"), credential(notifier.credential_expires_at)],
    ]),
    h("div", { class: "buttons" },
      h("a", { href: address("dead", { notifier: notifier.name }), class: "button" }, t("view.dead")),
      notifier.can_test && mayChange && h("button", { type: "button", onclick: () => test(notifier.name, told) }, t("notifiers.test")),
      !notifier.can_test && notifier.type && h("p", { class: "quiet small" }, t("notifiers.no-test"))));
}

function credential(expiresAt) {
  if (!expiresAt) return t("notifiers.no-end");
  const left = expiresAt - Date.now() / 1000;
  const text = left > 0 ? t("time.ahead", { duration: duration(left) }) : t("notifiers.expired");
  return [left < SOON ? badge(text, left > 0 ? "warn" : "bad") : text, " · ", time(expiresAt, { seconds: false })];
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
