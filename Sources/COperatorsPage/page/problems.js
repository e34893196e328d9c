// What is wrong now, with what to do and where to look.

import { ask, path, spoken } from "./api.js";
import { address } from "./address.js";
import { difference } from "./clock.js";
import { h, put } from "./dom.js";
import { duration, plainProse, prose } from "./format.js";
import { remedy } from "./remedies.js";
import { t } from "./words.js";

const places = {
  store: () => address("store"), replica_keys: () => address("store"),
  revocations_unknown: () => address("store"), revocations_late: () => address("store"), revocations_copy: () => address("store"),
  notifier_paused: (name) => address("notifiers", { notifier: name }), notifier_failing: (name) => address("notifiers", { notifier: name }),
  notifier_unknown: (name) => address("notifiers", { notifier: name }), credential_ends: (name) => address("notifiers", { notifier: name }),
  listener_certificate_ends: () => address("configuration"), listener_certificate_renewed: () => address("configuration"), app_key_ends: () => address("keys"),
  queue_full: (name) => address("notifiers", { notifier: name }),
  queue_late: (name) => address("notifiers", { notifier: name }), settings_doubtful: (name) => address("notifiers", { notifier: name }),
  reload_refused: () => address("configuration"), configuration_warning: () => address("configuration"),
  listener_full: () => address("configuration"), caller_full: () => address("configuration"),
  authorizations_undecided: () => address("configuration"), nearly_all_denied: () => address("keys"),
  unknown_app: () => address("configuration"), callers_refused: () => address("configuration"),
  authorizations_malformed: () => address("configuration"), webhooks_refused: () => address("configuration"),
  devices_unserved: () => address("configuration"), devices_missing: () => address("configuration"), bodies_full: () => address("configuration"), backend_open: () => address("configuration"),
  backend_new_keys: () => address("configuration"), deliveries_dead: () => address("dead"), disk_low: () => address("store"),
};

/** A list that `look` fills anew. `context` is the view's. */
export function problems(context) {
  const element = h("div");
  let kinds = new Set();
  /** Whether a problem of a kind was found. */
  element.has = (kind) => kinds.has(kind);
  element.look = async ({ signal }) => {
    const { problems: found } = await ask(path("/v1/status", { lang: spoken() }), { background: true, signal });
    const all = [...found, ...clock()];
    kinds = new Set(all.map(({ kind }) => kind));
    put(element, list([...all.filter(isSevere), ...all.filter((one) => !isSevere(one))], context));
  };
  return element;
}

function isSevere({ severity }) {
  return severity === "problem";
}

function list(found, context) {
  if (!found.length) return h("div", { class: "fine" }, h("span", { class: "mark", "aria-hidden": "true" }, "✓"), h("p", {}, h("span", { class: "strong" }, t("problems.none")), " ", h("span", { class: "quiet" }, t("problems.none.text"))));
  return h("section", { class: "problems", "aria-labelledby": "problems-title" },
    h("h2", { id: "problems-title" }, t("problems.title", { count: found.length })),
    h("ul", {}, found.map((problem) => h("li", { class: problem.severity },
      h("span", { class: "mark", role: "img", "aria-label": t(`problems.${problem.severity}`) }, "!"),
      h("div", { class: "problem-body" }, h("p", { class: "strong" }, prose(problem.text)), remedy(problem.remedy, context)),
      places[problem.kind] && h("a", { class: "button", href: places[problem.kind](problem.subject ?? undefined), "aria-label": t("problems.show.of", { text: plainProse(problem.text) }) }, t("problems.show"))))));
}

/** Ages are told by the service's clock; the operator should know when the browser's is another. */
function clock() {
  const seconds = difference();
  if (seconds === null) return [];
  const values = { duration: duration(Math.abs(seconds)) };
  return [{ kind: "clock", severity: "warning", text: t(seconds > 0 ? "problems.clock.ahead" : "problems.clock.behind", values), remedy: t("problems.clock.remedy") }];
}
