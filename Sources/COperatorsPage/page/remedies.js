// Remedies, with a button for each command in them that the page can carry out.

import { ask, path } from "./api.js";
import { h } from "./dom.js";
import { prose } from "./format.js";
import { announce, confirm } from "./ui.js";
import { t } from "./words.js";
import { retryAll } from "./view-dead.js";

// Each takes the command's options and identifier, and the view's context, and gives a button's label and what a click does; nothing where it
// does not say about what.
const COMMANDS = {
  "users unblock": ({ app, user }, _, context) => app && user && ["people.unblock", () => unblock(app, user, context)],
  "revocations remove": (_, id, context) => id && ["revocation.remove", () => removeRevocation(id, context)],
  "deliveries retry": ({ notifier, reason }, _, context) => (notifier || reason
    ? ["dead.retry", () => retryAll({ notifier, reason }, context.again)] : context.delivery && ["find.retry", () => retryOne(context.delivery, [], context)]),
  "deliveries purge": ({ state, notifier }, _, context) => state === "pending" && notifier && ["notifiers.give-up", () => giveUp(notifier, context)],
};
// A word as a shell reads it, since others choose the identifiers.
const WORD = String.raw`(?:'[^']*'|\\'|[^\s'\\])+`;
const COMMAND = new RegExp(String.raw`deskgate (${Object.keys(COMMANDS).join("|")})((?: --[a-z-]+ ${WORD})*)(?: ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b)?`, "g");

/**
 * What to do, as a paragraph with the buttons below. Without the right to change something, or without a context, there is no button.
 * `delivery` is the one that the text is about.
 */
export function remedy(text, context = {}, delivery = undefined, attributes = {}) {
  const buttons = context.mayChange ? actions(text, { ...context, delivery }) : [];
  return [
    h("p", attributes, h("span", { class: "strong" }, t("to-do")), " ", prose(text)),
    buttons.length > 0 && h("div", { class: "buttons" }, buttons.map(([label, onclick]) => h("button", { type: "button", onclick }, t(label)))),
  ];
}

function actions(text, context) {
  return [...text.matchAll(COMMAND)].map(([, name, options, id]) => COMMANDS[name](values(options), id, context)).filter(Boolean);
}

/** The options of a command. The last word may end with the sentence. */
function values(options) {
  const found = [...options.matchAll(new RegExp(`--([a-z-]+) (${WORD})`, "g"))];
  return Object.fromEntries(found.map(([, name, word], index) => [name, unquoted(index === found.length - 1 ? word.replace(/[.,;)]$/, "") : word)]));
}

function unquoted(word) {
  return word.replace(/'([^']*)'|\\(.)/g, (_, quoted, escaped) => quoted ?? escaped);
}

/** Tries one delivery again. `text` is told before. */
export function retryOne(id, text, { again }) {
  confirm({
    title: t("dead.retry.title", { count: 1 }), action: t("dead.retry.do", { count: 1 }), text: [...text, t("find.retry.text")],
    done: async () => told(t("dead.retried", { count: (await ask(`/v1/deliveries/${encodeURIComponent(id)}/retry`, { method: "POST" })).retried }), again),
  });
}

/** Removes a revocation. */
export function removeRevocation(id, { again }) {
  confirm({
    title: t("revocation.remove.title"), text: t("revocation.remove.text"), action: t("revocation.remove"),
    done: async () => {
      await ask(`/v1/revocations/${encodeURIComponent(id)}`, { method: "DELETE" });
      return told(t("revocation.removed"), again);
    },
  });
}

function unblock(app, user, { again }) {
  confirm({
    title: t("people.unblock.title", { user }), text: [`${t("app")}: ${app}`, t("people.unblock.text")], action: t("people.unblock"),
    done: async () => {
      const { removed } = await ask("/v1/users/unblock", { method: "POST", body: { app_id: app, user_id: user } });
      return told(t("people.unblock.done", { count: removed }), again);
    },
  });
}

/** Gives up what waits for a notifier. */
export function giveUp(notifier, { again }) {
  confirm({
    title: t("notifiers.give-up.title", { name: notifier }), text: t("notifiers.give-up.text"), action: t("notifiers.give-up"), danger: true,
    done: async () => {
      const { purged } = await ask(path("/v1/deliveries", { state: "pending", notifier }), { method: "DELETE" });
      return told(t("notifiers.give-up.done", { count: purged }), again);
    },
  });
}

/** Shows the view anew, and says what was done. */
async function told(text, again) {
  await again();
  announce(text);
  return text;
}
