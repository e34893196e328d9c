// Configuration in force: the file without its secrets, what warns, and what was refused.

import { ask, path, spoken } from "./api.js";
import { h, put } from "./dom.js";
import { prose, time } from "./format.js";
import { badge, card, facts, head, notice, show } from "./ui.js";
import { t } from "./words.js";

/** Shows the view. */
export async function configuration({ place, signal }) {
  const list = h("div", { class: "stack" });
  put(place, head(t("view.configuration"), t("configuration.text"), ["/v1/configuration", "/v1/status"]), list);
  await show(list, async () => {
    const [{ configuration: file, files }, { configuration: record }] = await Promise.all([ask("/v1/configuration", { signal }), ask(path("/v1/status", { lang: spoken() }), { signal })]);
    return [
      record.refused && h("div", { class: "trouble", role: "alert" }, h("p", { class: "strong" }, t("configuration.refused"), " ", time(record.refused.at)),
        h("ul", { lang: "en" }, record.refused.reasons.map((reason) => h("li", {}, reason))),
        record.refused.count > record.refused.reasons.length && h("p", {}, t("configuration.more", { count: record.refused.count - record.refused.reasons.length }))),
      record.warnings.map(({ path, message }) => notice([h("code", {}, path), " ", prose(message)], "warn")),
      card(t("configuration.loaded"), facts([[t("configuration.at"), time(record.loaded_at)], [t("configuration.files"), h("ul", { class: "plain" }, files.map((name) => h("li", {}, h("code", {}, name))))]])),
      Object.entries(file).map(([name, value]) => card(name, tree(value))),
    ];
  });
}

/** A value of JSON as nested lists of names. */
function tree(value) {
  if (Array.isArray(value)) {
    if (!value.length) return h("code", {}, "[]");
    if (value.every((one) => typeof one !== "object" || one === null)) return h("span", {}, value.map((one, index) => [index > 0 && ", ", scalar(one)]));
    return h("ol", { class: "tree" }, value.map((one) => h("li", {}, tree(one))));
  }
  if (typeof value !== "object" || value === null) return scalar(value);
  const entries = Object.entries(value);
  if (!entries.length) return h("code", {}, "{}");
  if (entries.length === 1 && ["file", "env", "credential"].includes(entries[0][0])) return [badge(t(`source.${entries[0][0]}`)), " ", h("code", {}, String(entries[0][1]))];
  return h("dl", { class: "tree" }, entries.map(([name, one]) => h("div", {}, h("dt", {}, name), h("dd", {}, tree(one)))));
}

function scalar(value) {
  return h("code", { class: typeof value }, typeof value === "string" ? value : JSON.stringify(value));
}
