// Replicas and store: whether the service can work, and who works beside it.

import { ask, askText, path, spoken } from "./api.js";
import { h, put } from "./dom.js";
import { bytes, duration, number, prose, time } from "./format.js";
import { parse, sum } from "./metrics.js";
import { badge, card, empty, facts, head, notice, show, table } from "./ui.js";
import { t } from "./words.js";

const SILENT = 30;

/** Shows the view. */
export async function store({ place, signal }) {
  const list = h("div", { class: "stack" });
  put(place, head(t("view.store"), t("store.text"), ["/v1/status", "/metrics"]), list);
  await show(list, async () => {
    const [status, { configuration }, text] = await Promise.all([ask(path("/v1/status", { lang: spoken() }), { signal }), ask("/v1/configuration", { signal }), askText("/metrics", { signal })]);
    const samples = parse(text);
    const first = (name) => samples.get(name)?.[0]?.value;
    return [
      status.reasons.map((reason) => notice(prose(reason), "bad")),
      h("div", { class: "cards fit" },
        card(t("store.service"), facts([
          [t("state"), badge(t(`service.${status.status}`), status.status === "ready" ? "good" : "bad")],
          [t("store.version"), status.version],
          [t("store.since"), time(first("process_start_time_seconds"))],
          [t("store.memory"), bytes(first("process_resident_memory_bytes"))],
          [t("store.cpu"), duration(first("process_cpu_seconds_total"))],
          [t("store.files"), t("of", { count: number(first("process_open_fds")), most: number(first("process_max_fds")) })],
          ...(samples.get("deskgate_certificate_expiry_timestamp_seconds") ?? []).map(({ labels, value }) => [t("store.certificate", labels), time(value)]),
        ])),
        card(t("store.store"), facts([
          [t("state"), first("deskgate_store_up") === 1 ? badge(t("tile.store.up"), "good") : badge(t("tile.store.down"), "bad")],
          [t("type"), configuration.store?.type ?? "sqlite"],
          [t("store.pending"), samples.has("deskgate_queue_pending") ? number(sum(samples, "deskgate_queue_pending")) : t("store.silent")],
          [t("store.limit"), configuration.store?.max_pending ? number(configuration.store.max_pending) : t("default")],
          [t("store.revocations"), number(first("deskgate_revocations"))],
          [t("store.refreshed"), time(first("deskgate_revocations_refresh_timestamp_seconds"))],
        ]))),
      card(t("store.replicas"), replicas(status)),
    ];
  });
}

function replicas({ replicas: all = [], keys_digest: own }) {
  if (!all.length) return empty(t("store.alone"), t("store.alone.text"));
  return table(t("store.replicas"), [
    { title: t("store.replica"), wide: true, cell: ({ id, answers }) => [h("code", {}, id), answers && badge(t("store.answers"))] },
    { title: t("state"), cell: ({ silent_seconds: silent }) => (silent < SILENT ? badge(t("store.alive"), "good") : badge(t("store.lost"), "bad")) },
    { title: t("store.heard"), number: true, cell: ({ silent_seconds: silent }) => t("time.ago", { duration: duration(silent) }) },
    { title: t("store.keys"), cell: ({ keys_digest: digest }) => (digest === own ? badge(t("store.same-keys"), "good") : badge(t("store.other-keys"), "warn")) },
  ], all);
}
