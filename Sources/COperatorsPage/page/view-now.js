// Now: what the service answers, how fast, and what waits.

import { askText, checkSession } from "./api.js";
import { chart } from "./chart.js";
import { h, put } from "./dom.js";
import { bytes, duration, latency, number, rough } from "./format.js";
import { History, STEP, parse, sum } from "./metrics.js";
import { problems } from "./problems.js";
import { head, trouble } from "./ui.js";
import { t, word } from "./words.js";

const AUTHORIZE = "deskgate_authorize_requests_total";
const REFUSED = "deskgate_refused_callers_total";
const LATENCY = "deskgate_authorize_duration_seconds";
// Whole numbers whose half is one, too.
const COUNTS = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [2, 4, 10].map((step) => step * 10 ** power));
const RESULTS = [["authorized", "200", "good"], ["malformed", "400", "warn"], ["denied", "403", "bad"], ["undecided", "503", "dark"]];

// It outlives the view, so that one who comes back finds the last minutes.
const history = new History();

/** Shows the view, and asks anew as long as somebody looks. */
export async function now(context) {
  const { place, signal } = context;
  const fault = h("div");
  const wrong = problems(context);
  const tiles = h("div", { class: "tiles" });
  const rate = (value) => (Number.isFinite(value) ? t("per-second", { rate: rough(value) }) : "–");
  const charts = {
    results: chart(t("now.results"), rate, t("now.nothing")),
    reasons: chart(t("now.reasons"), rate, t("now.no-denials")),
    latency: chart(t("now.latency"), latency, t("now.nothing")),
    webhooks: chart(t("now.webhooks"), rate, t("now.no-webhooks")),
    depth: chart(t("now.depth"), (value) => number(value), t("now.empty-queue"), COUNTS),
    age: chart(t("now.age"), duration, t("now.empty-queue"), [2, 10, 20, 60, 120, 240, 600, 1200, 3600, 7200, 14400, 43200, 86400]),
  };
  put(place, head(t("view.now"), t("now.text", { seconds: STEP / 1000 }), ["/metrics", "/v1/status"]), fault, wrong, tiles, h("div", { class: "charts" }, Object.values(charts)));

  const draw = () => {
    const latest = history.points.at(-1)?.samples;
    if (!latest) return;
    put(tiles, figures(latest, wrong.has("queue_late")));
    const refused = history.rates((samples) => sum(samples, REFUSED));
    charts.results.update([
      ...RESULTS.map(([result, code, tone]) => ({ name: `${code} ${t(`result.${result}`)}`, tone, points: history.rates((samples) => sum(samples, AUTHORIZE, (labels) => (labels.result === "shadowed" ? "authorized" : labels.result) === result)) })),
      ...(refused.some(({ value }) => value > 0) ? [{ name: `403 ${t("result.refused")}`, points: refused }] : []),
    ]);
    charts.reasons.update(labelled(latest, AUTHORIZE, "reason", (labels) => labels.result !== "authorized")
      .map((reason) => ({ name: word(`denial.${reason}`) ?? reason, points: history.rates((samples) => sum(samples, AUTHORIZE, (labels) => labels.reason === reason && labels.result !== "authorized")) }))
      .filter(({ points }) => points.some(({ value }) => value > 0)));
    charts.latency.update([["0.5", 0.5], ["0.95", 0.95], ["0.99", 0.99]].map(([name, quantile]) => ({ name: t("quantile", { share: Number(name) * 100 }), points: history.quantiles(LATENCY, quantile) })));
    charts.webhooks.update(labelled(latest, "deskgate_webhook_events_total", "result")
      .map((result) => ({ name: word(`webhook.${result}`) ?? result, points: history.rates((samples) => sum(samples, "deskgate_webhook_events_total", (labels) => labels.result === result)) }))
      .filter(({ points }) => points.some(({ value }) => value > 0)));
    for (const [name, metric] of [["depth", "deskgate_queue_pending"], ["age", "deskgate_queue_oldest_seconds"]]) {
      charts[name].update(labelled(latest, metric, "notifier").map((notifier) => ({ name: notifier, points: history.values((samples) => sum(samples, metric, (labels) => labels.notifier === notifier)) })), latest.has(metric) ? undefined : t("store.silent"));
    }
  };

  const step = async () => {
    try {
      history.add(parse(await askText("/metrics", { background: true, signal })));
      put(fault);
      // Metrics may need no session.
      await checkSession({ background: true, signal });
      if (!signal.aborted) await wrong.look({ signal });
    } catch (error) {
      if (signal.aborted) return;
      history.add(null);
      put(fault, trouble(error));
    }
    if (!signal.aborted) draw();
  };

  draw();
  // One who comes back at once is shown what is known: a rate needs a while.
  if (!(performance.now() - (history.points.at(-1)?.at ?? -Infinity) < STEP)) await step();
  else await wrong.look({ signal }).catch(() => {});
  let timer = null;
  const look = () => {
    clearInterval(timer);
    timer = null;
    if (signal.aborted || document.hidden) return;
    timer = setInterval(step, STEP);
  };
  const turn = () => {
    if (!document.hidden) step();
    look();
  };
  document.addEventListener("visibilitychange", turn, { signal });
  signal.addEventListener("abort", () => clearInterval(timer));
  look();
}

function labelled(samples, name, label, passes = () => true) {
  return [...new Set((samples.get(name) ?? []).filter((sample) => passes(sample.labels)).map((sample) => sample.labels[label]))].sort();
}

function latestOf(points) {
  return points.at(-1)?.value ?? NaN;
}

function figures(samples, isLate) {
  const rate = (read) => latestOf(history.rates(read));
  const asked = (each) => sum(each, AUTHORIZE) + sum(each, REFUSED);
  const answers = rate(asked);
  // A handful of users asks less than once a step, so the share is that of all points.
  const all = history.growth(asked);
  const good = history.growth((each) => sum(each, AUTHORIZE, (labels) => ["authorized", "shadowed"].includes(labels.result)));
  const slow = latestOf(history.quantiles(LATENCY, 0.99));
  // While the store is away, nobody knows what waits.
  const isKnown = samples.has("deskgate_queue_pending");
  const pending = sum(samples, "deskgate_queue_pending");
  const oldest = Math.max(0, ...(samples.get("deskgate_queue_oldest_seconds") ?? []).map(({ value }) => value));
  const isUp = sum(samples, "deskgate_store_up") === 1;
  const stuck = (samples.get("deskgate_notifier_state") ?? []).filter(({ labels, value }) => value === 1 && ["paused", "open", "half_open"].includes(labels.state)).map(({ labels }) => labels.notifier);
  return [
    tile(t("tile.answers"), Number.isFinite(answers) ? t("per-second", { rate: rough(answers) }) : "–", !Number.isFinite(answers) ? t("tile.measuring") : all > 0 ? t("tile.not-200", { share: rough((100 * (all - good)) / all) }) : t("now.nothing")),
    tile(t("tile.latency"), Number.isFinite(slow) ? latency(slow) : "–", t("tile.latency.text")),
    tile(t("tile.waiting"), isKnown ? number(pending) : "–", !isKnown ? t("store.silent") : pending ? t("tile.oldest", { duration: duration(oldest) }) : t("now.empty-queue"), isLate ? "warn" : ""),
    tile(t("tile.notifiers"), stuck.length ? t("tile.stuck", { count: stuck.length }) : t("tile.working"), stuck.join(", ") || t("tile.working.text"), stuck.length ? "bad" : "good"),
    tile(t("tile.store"), isUp ? t("tile.store.up") : t("tile.store.down"), t("tile.memory", { size: bytes(sum(samples, "process_resident_memory_bytes")) }), isUp ? "good" : "bad"),
  ];
}

function tile(name, value, text, tone = "") {
  return h("div", { class: `tile ${tone}` }, h("p", { class: "tile-name" }, name), h("p", { class: "tile-value" }, value), h("p", { class: "tile-text" }, text));
}
