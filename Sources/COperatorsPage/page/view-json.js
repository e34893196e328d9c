// JSON: an answer as the service gives it. A browser that asked for it by its address would not send the session's secret.

import { askText } from "./api.js";
import { h, put } from "./dom.js";
import { head, show } from "./ui.js";
import { t } from "./words.js";

/** Shows the answer of the path that the address names. */
export async function json({ values, place, signal }) {
  const where = values.path ?? "";
  // A stranger may have made the address, and the secret goes to this service alone.
  if (!where.startsWith("/v1/") && where !== "/metrics") return put(place, head(t("view.json")));
  const answer = h("div");
  put(place, head(h("code", {}, h("bdi", {}, where)), t("json")), answer);
  return show(answer, async () => h("pre", {}, await askText(where, { signal })));
}
