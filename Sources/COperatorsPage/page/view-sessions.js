// Session tokens for Sendbird Chat: what calls for them came to, in each app.

import { askText } from "./api.js";
import { address } from "./address.js";
import { appsOfSendbird } from "./apps.js";
import { h, put } from "./dom.js";
import { duration, number, time } from "./format.js";
import { parse, sum } from "./metrics.js";
import { appField, badge, card, empty, facts, head, show, table } from "./ui.js";
import { t } from "./words.js";

const CALLS = "deskgate_session_token_requests_total";
// In the order in which a call meets them.
const RESULTS = [["kept", "good"], ["issued", "good"], ["off", "plain"], ["malformed", "warn"], ["denied", "bad"], ["limited", "warn"], ["throttled", "bad"], ["unavailable", "bad"]];
const LIFE = 604_800;

/** Shows the view. */
export async function sessions({ place, signal }) {
  const list = h("div", { class: "stack" });
  put(place, head(t("view.sessions"), t("sessions.text"), ["/metrics"]), list);
  await show(list, async () => {
    const known = await appsOfSendbird(signal);
    if (!known.length) return empty(t("sendbird.none"), t("sendbird.none.text"));
    const samples = parse(await askText("/metrics", { signal }));
    const since = samples.get("process_start_time_seconds")?.[0]?.value;
    return [asking(known.map((app) => app.app_id)), known.map((app) => one(app, samples, since))];
  });
}

/** Why somebody gets no token is told where the person is explained. */
function asking(known) {
  return h("form", { class: "line", onsubmit: (event) => {
    event.preventDefault();
    const chosen = new FormData(event.target);
    const user = chosen.get("user_id").trim();
    if (user) location.hash = address("find", { user_id: user, app_id: chosen.get("app_id") });
  } },
    appField(known, known[0]), h("div", { class: "field grow" }, h("label", { for: "session-user" }, t("user")), h("input", { id: "session-user", name: "user_id", autocomplete: "off", spellcheck: "false" })),
    h("button", { type: "submit", class: "primary" }, t("sessions.why")));
}

function one({ app_id: app, sendbird }, samples, since) {
  const settings = sendbird?.session_tokens;
  const calls = (result) => sum(samples, CALLS, (labels) => labels.app === app && labels.result === result);
  return card(app,
    facts([
      [t("state"), settings ? badge(t("sessions.on"), "good") : badge(t("sessions.off"))],
      settings && [t("sessions.life"), duration(settings.life_seconds ?? LIFE)],
      [t("sessions.since"), time(since)],
    ]),
    table(t("sessions.calls", { app }), [
      { title: t("sessions.result"), cell: ([result, tone]) => badge(t(`sessions.${result}`), tone) },
      { title: t("count"), number: true, cell: ([result]) => number(calls(result)) },
      { title: t("sessions.meaning"), wide: true, cell: ([result]) => t(`sessions.${result}.text`) },
    ], RESULTS));
}
