// People: devices, revocations; sign out, block, forget.

import { ask, path } from "./api.js";
import { address } from "./address.js";
import { apps } from "./apps.js";
import { h, put } from "./dom.js";
import { number, time } from "./format.js";
import { removeRevocation } from "./remedies.js";
import { announce, appField, badge, card, confirm, empty, facts, head, longTable, notice, show, table } from "./ui.js";
import { t, word } from "./words.js";

/** Shows one person, or all who have a device. */
export async function people(context) {
  const { values, place, signal } = context;
  const known = await apps(signal);
  const app = values.app_id ?? known[0];
  const chooser = form(known, app, values.user_id ?? "");
  if (values.user_id) return person(context, app, values.user_id, chooser);
  const [devices, revoked] = [h("div"), h("div")];
  put(place, head(t("view.people"), t("people.text"), [path("/v1/push-tokens", { app_id: app }), path("/v1/revocations", { app_id: values.app_id })]), chooser,
    card(t("people.devices"), devices), card(t("people.revocations"), revoked));
  await Promise.all([
    show(devices, () => longTable(t("people.devices"), deviceColumns(true), async (after) => {
      const page = await ask(path("/v1/push-tokens", { app_id: app, after, limit: 100 }), { signal });
      return { rows: page.push_tokens, next: page.next };
    }, empty(t("people.no-devices"), t("people.no-devices.text")))),
    show(revoked, () => revocations(context, values.app_id)),
  ]);
}

function form(known, app, user) {
  return h("form", { class: "line", onsubmit: (event) => {
    event.preventDefault();
    const chosen = new FormData(event.target);
    location.hash = address("people", { app_id: chosen.get("app_id"), user_id: chosen.get("user_id").trim() });
  } },
    appField(known, app), h("div", { class: "field grow" }, h("label", { for: "person" }, t("user")), h("input", { id: "person", name: "user_id", value: user, autocomplete: "off", spellcheck: "false" })),
    h("button", { type: "submit", class: "primary" }, t("people.show")));
}

async function person(context, app, user, chooser) {
  const { place, signal, mayChange } = context;
  const values = { app_id: app, user_id: user };
  const [told, standing, devices, revoked] = [h("div"), h("div"), h("div"), h("div")];
  put(place, head(h("bdi", {}, user), `${t("app")}: ${app}`, [path("/v1/users", values)], h("a", { class: "button", href: address("find", values) }, t("people.timeline")), h("a", { class: "button", href: address("bots", values) }, t("people.bots"))),
    chooser, told, mayChange ? buttons(context, values, told) : notice(t("read-only"), "plain"),
    card(t("people.standing"), standing), card(t("people.devices"), devices), card(t("people.revocations"), revoked));
  let known = null;
  const load = () => (known ??= ask(path("/v1/users", values), { signal }).catch((error) => {
    // Whoever tries again asks again.
    known = null;
    throw error;
  }));
  await Promise.all([
    show(standing, async () => standingFacts(await load())),
    show(devices, async () => listed(t("people.devices"), deviceColumns(false), (await load()).push_tokens, empty(t("people.no-devices"), t("people.no-devices.person")))),
    show(revoked, async () => {
      const found = await load();
      return [!found.revocations_complete && notice(t("people.more-revocations"), "warn"),
        listed(t("people.revocations"), revocationColumns(context), found.revocations, empty(t("people.no-revocations"), t("people.no-revocations.text")))];
    }),
  ]);
}

function listed(caption, columns, rows, nothing) {
  return rows.length ? table(caption, columns, rows) : nothing;
}

function standingFacts({ may_chat: mayChat, reason, keys_since: since, verify, shadow_until: shadow, user_ref: reference }) {
  return facts([
    [t("people.may-chat"), mayChat ? badge(t("people.may-chat.yes"), "good") : badge(word(`people.denied.${reason}`) ?? reason, "bad")],
    [t("people.keys-since"), since === null ? t("revocation.all") : time(since)],
    [t("people.verify"), word(`people.verify.${verify}`) ?? verify],
    shadow !== null && [t("people.shadow"), time(shadow)],
    [t("people.reference"), h("code", {}, reference ?? "–")],
  ]);
}

function buttons(context, values, told) {
  const act = (name, danger = false) => h("button", { type: "button", class: danger ? "danger" : null, onclick: () => change(name, danger, context, values, told) }, t(`people.${name}`));
  return h("div", { class: "buttons actions" }, act("sign-out"), act("block"), act("unblock"), act("forget", true));
}

function change(name, danger, { again }, values, told) {
  const isForgetting = name === "forget";
  confirm({
    title: t(`people.${name}.title`, { user: values.user_id }), text: t(`people.${name}.text`), action: t(`people.${name}`), danger,
    fields: [name !== "unblock" && { name: "reason", label: t("people.reason"), hint: t("people.reason.hint") }, isForgetting && { name: "again", label: t("people.forget.again"), hint: values.user_id }].filter(Boolean),
    check: (typed) => !isForgetting || typed.again === values.user_id,
    done: async ({ reason }) => {
      const answer = await ask(`/v1/users/${name}`, { method: "POST", body: { ...values, ...(reason ? { reason } : {}) } });
      const text = t(`people.${name}.done`, { count: answer.removed ?? answer.devices ?? 0 });
      await again();
      if (isForgetting && answer.remaining?.length) announce(t("people.forget.remaining", { list: answer.remaining.map(rest).join("; ") }), "warn");
      announce(text);
      return text;
    },
  });
}

/** What could not be erased yet, and why. */
function rest({ where, notifier, count }) {
  const key = `people.remaining.${where}`;
  return word(key) === null ? t("people.remaining.table", { where, count }) : t(key, { notifier, count });
}

function deviceColumns(withPerson) {
  return [
    withPerson && { title: t("user"), wide: true, cell: (device) => h("a", { href: address("people", { app_id: device.app_id, user_id: device.user_id }) }, h("bdi", {}, device.user_id)) },
    { title: t("device"), wide: true, cell: (device) => h("a", { href: address("find", { device_id: device.device_id, user_id: device.user_id, app_id: device.app_id }) }, device.device_id) },
    { title: t("type"), cell: (device) => device.type },
    { title: t("people.token"), cell: (device) => h("code", {}, device.token) },
    { title: t("people.registered"), cell: (device) => time(device.registered_at) },
    { title: t("people.seen"), cell: (device) => time(device.seen_at) },
  ].filter(Boolean);
}

/** Those of an app; of all apps where none was chosen. */
function revocations({ signal, ...context }, app) {
  return longTable(t("people.revocations"), revocationColumns(context, true), async (after) => {
    const page = await ask(path("/v1/revocations", { app_id: app, after, limit: 100 }), { signal });
    return { rows: page.revocations, next: page.next };
  }, empty(t("people.no-revocations"), t("people.no-revocations.text")));
}

function revocationColumns(context, withApp = false) {
  return [
    withApp && { title: t("app"), wide: true, cell: (one) => one.app_id },
    { title: t("revocation.kind"), cell: (one) => badge(word(`revocation.${one.kind}`) ?? one.kind, one.kind === "block" ? "bad" : "plain") },
    { title: t("revocation.of"), wide: true, cell: (one) => (one.user_id ? h("a", { href: address("people", { app_id: one.app_id, user_id: one.user_id }) }, one.user_id) : one.key_id !== null ? `${t("key")} ${one.key_id}` : one.kind === "app" ? one.app_id : "–") },
    { title: t("revocation.before"), cell: (one) => (one.issued_before === null ? t("revocation.all") : time(one.issued_before)) },
    { title: t("revocation.devices"), cell: (one) => number(one.devices_removed) },
    { title: t("people.reason"), wide: true, cell: (one) => one.reason || "–" },
    { title: t("revocation.by"), wide: true, cell: (one) => one.author },
    { title: t("created"), cell: (one) => time(one.created_at) },
    context.mayChange && { title: "", cell: (one) => one.kind !== "former" && h("button", { type: "button", onclick: () => removeRevocation(one.id, context) }, t("revocation.remove")) },
  ].filter(Boolean);
}
