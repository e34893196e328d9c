// Dead letters: grouped by notifier and reason, listed, tried again.

import { ask, path, spoken } from "./api.js";
import { address } from "./address.js";
import { h, put } from "./dom.js";
import { number, time } from "./format.js";
import { badge, confirm, empty, head, longTable, notice, show, table } from "./ui.js";
import { t } from "./words.js";

const WATCH = 1500;

/** Shows the groups, or the deliveries of one that the address names. */
export async function dead({ values, place, signal, mayChange, again }) {
  const filter = { notifier: values.notifier, reason: values.reason, app_id: values.app_id };
  const counted = path("/v1/deliveries/reasons", { ...filter, lang: spoken() });
  const isOpen = filter.notifier || filter.reason || filter.app_id;
  const [told, groups, list] = [h("div"), h("div"), h("div")];
  const json = [counted, ...(isOpen ? [path("/v1/deliveries", { state: "dead", ...filter })] : [])];
  put(place, head(t("view.dead"), t("dead.text"), json),
    isOpen && h("p", { class: "chips" }, Object.entries(filter).filter(([, value]) => value).map(([name, value]) => badge(`${t(name)}: ${value}`)), h("a", { href: address("dead") }, t("dead.all"))),
    told, groups, list);
  const retry = (criteria) => mayChange && ask(path("/v1/deliveries/reasons", criteria)).then((found) => askRetry(criteria, found, told, again), (error) => put(told, notice(error.message, "bad")));
  await show(groups, async () => {
    const found = await ask(counted, { signal });
    if (!found.counted) return empty(t("dead.none"), t(isOpen ? "dead.none.filter" : "dead.none.text"));
    return [
      !found.complete && notice(t("dead.bounded", { count: number(found.counted) }), "warn"),
      groupTable(found.groups, mayChange, retry),
    ];
  });
  if (!isOpen) return;
  await show(list, async () => h("section", {}, h("h2", {}, t("dead.list")), await longTable(t("dead.list"), columns(), async (after) => {
    const page = await ask(path("/v1/deliveries", { state: "dead", ...filter, after, limit: 100 }), { signal });
    return { rows: page.deliveries, next: page.next };
  }, empty(t("dead.none"), t("dead.none.filter")))));
}

function groupTable(groups, mayChange, retry) {
  return table(t("dead.groups"), [
    { title: t("notifier"), cell: ({ notifier }) => h("span", { class: "strong" }, notifier) },
    { title: t("reason"), wide: true, cell: ({ notifier, reason, meaning, remedy }) => [
      h("a", { href: address("dead", { notifier, reason }) }, h("code", {}, reason)), h("p", {}, meaning), remedy && h("p", { class: "quiet small" }, h("span", { class: "strong" }, t("to-do")), " ", remedy)] },
    { title: t("count"), number: true, cell: ({ count }) => number(count) },
    { title: t("dead.oldest"), cell: ({ oldest }) => time(oldest) },
    { title: t("dead.newest"), cell: ({ newest }) => time(newest) },
    { title: "", cell: ({ notifier, reason }) => mayChange && h("button", { type: "button", "aria-label": t("dead.retry.of", { notifier, reason }), onclick: () => retry({ notifier, reason }) }, t("dead.retry")) },
  ], groups);
}

/** Asks with the count first, and tries again exactly those that were counted: none that died since, and no older ones than those. */
function askRetry(criteria, { groups, counted, complete }, told, again) {
  if (!counted) return put(told, notice(t("dead.gone"), "warn"));
  const oldest = groups.map((group) => group.oldest).sort()[0];
  const newest = groups.map((group) => group.newest).sort().at(-1);
  const before = new Date(Date.parse(newest) + 1).toISOString();
  return confirm({
    title: t("dead.retry.title", { count: counted }), action: t("dead.retry.do", { count: counted }),
    text: [t("dead.retry.text", { count: number(counted), notifier: criteria.notifier, reason: criteria.reason }), complete ? "" : t("dead.retry.bounded")].filter(Boolean),
    done: async () => {
      const { retried } = await ask("/v1/deliveries/retry", { method: "POST", body: { ...criteria, from: oldest, before } });
      const text = retried < counted ? t("dead.retried.fewer", { count: retried, wanted: number(counted) }) : t("dead.retried", { count: retried });
      await again();
      const told = notice(text, retried ? "good" : "warn");
      document.querySelector(".view .head")?.after(told);
      if (retried) watch(told, text, criteria);
      return text;
    },
  });
}

/** Tells how the deliveries that are tried again come through, until none waits any more or the view is left. */
async function watch(told, text, criteria) {
  const options = { background: true };
  try {
    while (told.isConnected) {
      const waiting = (await ask(path("/v1/deliveries", { ...criteria, reason: undefined, state: "pending", limit: 1000 }), options)).deliveries;
      if (!waiting.length) break;
      told.textContent = `${text} ${t("dead.waiting", { count: waiting.length, shown: `${number(waiting.length)}${waiting.length === 1000 ? "+" : ""}` })}`;
      await new Promise((done) => setTimeout(done, WATCH));
    }
    const { counted } = await ask(path("/v1/deliveries/reasons", criteria), options);
    told.textContent = `${text} ${counted ? t("dead.again", { count: counted }) : t("dead.arrived")}`;
    told.classList.replace("good", counted ? "warn" : "good");
  } catch {
    // What was done stands there all the same.
  }
}

/** The columns of a list of deliveries. */
export function columns() {
  return [
    { title: t("received"), cell: (delivery) => h("a", { href: address("find", { delivery_id: delivery.id }) }, time(delivery.received_at)) },
    { title: t("notifier"), cell: (delivery) => delivery.notifier },
    { title: t("state"), cell: (delivery) => badge(t(`delivery.${delivery.state}`), { delivered: "good", dead: "bad", pending: "warn" }[delivery.state]) },
    { title: t("reason"), cell: (delivery) => h("code", {}, delivery.reason || delivery.waits || "–") },
    { title: t("user"), wide: true, cell: (delivery) => (delivery.user_id ? h("a", { href: address("find", { user_id: delivery.user_id, app_id: delivery.app_id }) }, delivery.user_id) : "–") },
    { title: t("comment"), cell: (delivery) => (delivery.comment_id === null ? delivery.type : h("a", { href: address("find", { comment_id: delivery.comment_id, app_id: delivery.app_id }) }, delivery.comment_id)) },
    { title: t("tries"), number: true, cell: (delivery) => number(delivery.attempts) },
  ];
}
