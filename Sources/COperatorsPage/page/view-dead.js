// Dead letters: grouped by notifier and reason, listed, tried again.

import { ask, path, spoken } from "./api.js";
import { address } from "./address.js";
import { h, put } from "./dom.js";
import { number, prose, time } from "./format.js";
import { shownState } from "./timeline.js";
import { announce, badge, confirm, empty, head, longTable, show, table } from "./ui.js";
import { t } from "./words.js";

const WATCH = 1500;

/** Shows the groups, or the deliveries of one that the address names. */
export async function dead({ values, place, signal, mayChange, again }) {
  const filter = { notifier: values.notifier, reason: values.reason, app_id: values.app_id };
  const counted = path("/v1/deliveries/reasons", { ...filter, lang: spoken() });
  const isOpen = filter.notifier || filter.reason || filter.app_id;
  const [groups, list] = [h("div"), h("div")];
  const json = [counted, ...(isOpen ? [path("/v1/deliveries", { state: "dead", ...filter, lang: spoken() })] : [])];
  put(place, head(t("view.dead"), t("dead.text"), json),
    isOpen && h("p", { class: "chips" }, Object.entries(filter).filter(([, value]) => value).map(([name, value]) => badge(`${t(name)}: ${value}`)), h("a", { href: address("dead") }, t("dead.all"))),
    groups, list);
  await show(groups, async () => {
    const found = await ask(counted, { signal });
    if (!found.counted) return empty(t("dead.none"), t(isOpen ? "dead.none.filter" : "dead.none.text"));
    return groupTable(found.groups, mayChange, (group) => retryAll({ ...group, app_id: filter.app_id || undefined }, again));
  });
  if (!isOpen) return;
  await show(list, async () => h("section", {}, h("h2", {}, t("dead.list")), await longTable(t("dead.list"), columns(), async (after) => {
    const page = await ask(path("/v1/deliveries", { state: "dead", ...filter, lang: spoken(), after, limit: 100 }), { signal });
    return { rows: page.deliveries, next: page.next };
  }, empty(t("dead.none"), t("dead.none.filter")))));
}

function groupTable(groups, mayChange, retry) {
  return table(t("dead.groups"), [
    { title: t("notifier"), cell: ({ notifier }) => h("span", { class: "strong" }, notifier) },
    { title: t("reason"), wide: true, cell: ({ notifier, reason, meaning, remedy }) => [
      h("a", { href: address("dead", { notifier, reason }) }, h("code", {}, reason)), h("p", {}, prose(meaning)), remedy && h("p", { class: "quiet small" }, h("span", { class: "strong" }, t("to-do")), " ", prose(remedy))] },
    { title: t("count"), number: true, cell: ({ count }) => number(count) },
    { title: t("dead.oldest"), cell: ({ oldest }) => time(oldest) },
    { title: t("dead.newest"), cell: ({ newest }) => time(newest) },
    { title: "", cell: ({ notifier, reason }) => mayChange && h("button", { type: "button", "aria-label": t("dead.retry.of", { notifier, reason }), onclick: () => retry({ notifier, reason }) }, t("dead.retry")) },
  ], groups);
}

/** Tries dead letters again: those that match `criteria`, once a person has seen how many they are. */
export async function retryAll(criteria, again) {
  try {
    askRetry(criteria, await ask(path("/v1/deliveries/reasons", { ...criteria, lang: spoken() })), again);
  } catch (error) {
    announce(error.message, "bad");
  }
}

/** Asks with the count first, and tries again exactly the set that was counted, step by step. Closing the dialog stops it. */
function askRetry(criteria, { counted, set, groups }, again) {
  if (!set) return announce(t("dead.gone"), "warn");
  const progress = h("p", { class: "quiet", role: "status" });
  const sum = { retried: 0, full: 0, forgotten: 0, device: 0, left: counted, after: set };
  return confirm({
    title: t("dead.retry.title", { count: counted }), action: t("dead.retry.do", { count: counted }),
    text: [t("dead.retry.text", { count: number(counted) }), h("ul", { class: "plain" }, groups.map((group) => h("li", {}, `${group.notifier}: `, prose(group.meaning), " ", h("code", {}, group.reason)))), progress],
    // After a failure the button continues with the next step.
    done: async () => {
      while (sum.after) {
        const { retried, kept, left, next } = await ask("/v1/deliveries/retry", { method: "POST", body: { ...criteria, after: sum.after } });
        sum.retried += retried;
        sum.full += kept.notifier_queue_full + kept.queue_full;
        sum.forgotten += kept.forgotten;
        sum.device += kept.no_device;
        Object.assign(sum, { left, after: next });
        progress.textContent = t("dead.retrying", { retried: number(sum.retried), total: number(counted), left: number(left) });
        if (!progress.isConnected) break;
      }
      const text = outcome(sum, counted);
      await again();
      const told = announce(text, sum.retried === counted ? "good" : "warn");
      if (sum.retried) watch(told, text, criteria, sum.full + sum.forgotten + sum.device + sum.left);
      return text;
    },
  });
}

/** Says how many of the counted deliveries are tried again, and why the others are not. */
function outcome({ retried, full, forgotten, device, left }, counted) {
  if (retried >= counted) return t("dead.retried", { count: retried });
  const rest = [["dead.kept.full", full], ["dead.kept.forgotten", forgotten], ["dead.kept.device", device], ["dead.kept.left", left], ["dead.kept.gone", counted - retried - full - forgotten - device - left]];
  return [t("dead.retried.fewer", { count: number(retried), wanted: number(counted) }), ...rest.filter(([, count]) => count > 0).map(([key, count]) => t(key, { count, shown: number(count) }))].join(" ");
}

/** Tells how the deliveries that are tried again come through, until none waits any more or the view is left. `kept` are dead still. */
async function watch(told, text, criteria, kept) {
  const options = { background: true };
  try {
    while (told.isConnected) {
      const waiting = (await ask("/v1/notifiers", options)).notifiers.find(({ name }) => name === criteria.notifier)?.pending;
      if (!waiting) break;
      told.textContent = `${text} ${t("dead.waiting", { count: waiting, shown: number(waiting) })}`;
      await new Promise((done) => setTimeout(done, WATCH));
    }
    const again = (await ask(path("/v1/deliveries/reasons", criteria), options)).counted - kept;
    told.textContent = `${text} ${again > 0 ? t("dead.again", { count: again }) : t("dead.arrived")}`;
    told.classList.replace("good", again > 0 ? "warn" : "good");
  } catch {
    // What was done stands there all the same.
  }
}

/** The columns of a list of deliveries. */
export function columns() {
  return [
    { title: t("received"), cell: (delivery) => h("a", { href: address("find", { delivery_id: delivery.id }) }, time(delivery.received_at)) },
    { title: t("notifier"), cell: (delivery) => delivery.notifier },
    { title: t("state"), cell: (delivery) => badge(t(`delivery.${shownState(delivery.state, delivery.reason)}`), { delivered: "good", logged: "warn", dead: "bad", pending: "warn" }[shownState(delivery.state, delivery.reason)]) },
    { title: t("reason"), wide: true, cell: (delivery) => h("span", { title: delivery.reason || delivery.waits }, prose(delivery.meaning)) },
    { title: t("user"), wide: true, cell: (delivery) => (delivery.user_id ? h("a", { href: address("find", { user_id: delivery.user_id, app_id: delivery.app_id }) }, delivery.user_id) : "–") },
    { title: t("comment"), cell: (delivery) => (delivery.comment_id === null ? delivery.type : h("a", { href: address("find", { comment_id: delivery.comment_id, app_id: delivery.app_id }) }, delivery.comment_id)) },
    { title: t("tries"), number: true, cell: (delivery) => number(delivery.attempts) },
  ];
}
