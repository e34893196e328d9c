// Keys: where each one stands, when it was used, and the next step of a rotation.

import { ask } from "./api.js";
import { serviceNow } from "./clock.js";
import { h, put } from "./dom.js";
import { ago, prose, time } from "./format.js";
import { badge, card, empty, head, notice, show, table } from "./ui.js";
import { t } from "./words.js";

const UNUSED = 30 * 86400;

/** Shows the view. */
export async function keys({ place, signal }) {
  const list = h("div", { class: "stack" });
  put(place, head(t("view.keys"), t("keys.text"), ["/v1/status"]), list);
  await show(list, async () => {
    const status = await ask("/v1/status", { signal });
    const apps = Map.groupBy(status.keys ?? [], (key) => key.app_id);
    if (!apps.size) return empty(t("keys.none"), t("keys.none.text"));
    return [behind(status), [...apps].map(([app, all]) => card(app, keyTable(app, all), next(app, all)))];
  });
}

function behind({ keys_digest: own, replicas = [] }) {
  const others = replicas.filter((replica) => !replica.answers && replica.silent_seconds < 30 && replica.keys_digest && replica.keys_digest !== own);
  return others.length > 0 && notice(t("keys.behind", { replicas: others.map(({ id }) => id).join(", ") }), "warn");
}

function keyTable(app, all) {
  return table(t("keys.of", { app }), [
    { title: t("keys.id"), number: true, tight: true, cell: ({ key_id: id }) => h("span", { class: "strong" }, id) },
    { title: t("state"), cell: ({ state }) => badge(t(`key.${state}`), { active: "good", revoked: "bad" }[state] ?? "plain") },
    { title: t("keys.used"), cell: ({ last_used: used, known_since: since }) => (used ? [ago(used), " · ", time(used)] : t(since ? "never" : "keys.unknown")) },
    { title: t("keys.since"), cell: ({ known_since: since }) => time(since) },
    { title: t("keys.end"), cell: ({ not_after: end }) => (end ? time(end) : t("keys.no-end")) },
  ], all);
}

/** The step that `deskgate secret rotate` does next. */
function next(app, all) {
  const active = all.filter(({ state }) => state === "active");
  const newest = all.filter(({ state }) => state !== "ended" && state !== "revoked").at(-1);
  // A revoked key above the newest one keeps its number taken.
  const old = all.find((key) => key.state === "ended" || key.key_id < newest?.key_id);
  const command = `deskgate secret rotate --app ${/^[\w.:@+,/-]+$/.test(app) ? app : `'${app.replaceAll("'", "'\\''")}'`}`;
  let text;
  if (!newest) text = t("rotate.none");
  else if (newest.state !== "active" || active.length > 1) text = t("rotate.activate", { id: newest.key_id });
  else if (old) text = rest(old);
  else text = t("rotate.start");
  return h("div", { class: "next" }, h("p", {}, h("span", { class: "strong" }, t("rotate.next")), " ", prose(text)), h("p", {}, h("code", {}, command)));
}

function rest({ key_id: id, state, last_used: used, known_since: since, not_after: end }) {
  if (state === "revoked") return t("rotate.revoked", { id });
  const last = Math.max(used ?? 0, since ?? 0);
  const due = last && last + UNUSED;
  const date = (seconds) => new Date(seconds * 1000).toISOString();
  // Used or not, it verifies nothing any more.
  if (end && !(due && due < end)) return end > serviceNow() ? t("rotate.ends", { id, date: date(end) }) : t("rotate.ended", { id });
  if (!due) return t("rotate.unknown", { id });
  return due > serviceNow() ? t("rotate.wait", { id, date: date(due) }) : t("rotate.retire", { id });
}
