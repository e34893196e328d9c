// The parts that views are made of.

import { address } from "./address.js";
import { h, put, say } from "./dom.js";
import { t } from "./words.js";
import { Refusal } from "./api.js";

/** The head of a view: its title, what it is for, and where the same content is as JSON. */
export function head(title, text, json = [], ...beside) {
  return h("div", { class: "head" },
    h("div", {}, h("h1", {}, title), text && h("p", { class: "quiet" }, text)),
    h("div", { class: "beside" }, beside, json.map((place) => h("a", { href: address("json", { path: place }), class: "json", title: t("json") }, `JSON `, h("code", {}, place.split("?")[0])))));
}

/** A short word in a colour: good, bad, warn or plain. */
export function badge(text, tone = "plain") {
  return h("span", { class: `badge ${tone}` }, text);
}

/** A card with a heading. */
export function card(title, ...children) {
  return h("section", { class: "card" }, title && h("h2", {}, title), children);
}

/** What stands where there is nothing. */
export function empty(title, text) {
  return h("div", { class: "empty" }, h("p", { class: "strong" }, title), text && h("p", { class: "quiet" }, text));
}

/** What went wrong, with a button to try again. */
export function trouble(error, again) {
  const text = error instanceof Refusal ? error.message : String(error?.message ?? error);
  return h("div", { class: "trouble", role: "alert" },
    h("p", { class: "strong" }, isOfHelpDesk(error) ? t("error.help-desk") : error?.status === 503 ? t("error.store") : t("error.title")), h("p", {}, text),
    again && h("button", { type: "button", onclick: again }, t("again")));
}

/** Whether it is the help desk that cannot answer. */
function isOfHelpDesk(error) {
  return error instanceof Refusal && error.code.startsWith("help_desk_");
}

/** Shows that something is on its way. */
export function waiting() {
  return h("p", { class: "quiet waiting" }, t("waiting"));
}

/** A table. Columns are {title, cell(row), number?, wide?}; each row is made once, so that thousands stay quick. */
export function table(caption, columns, rows) {
  const body = h("tbody");
  const make = (row) => h("tr", {}, columns.map((column) => h("td", { class: kind(column), "data-title": column.title || null }, h("div", { class: "cell" }, column.cell(row)))));
  body.append(...rows.map(make));
  const element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col", class: kind(column) }, column.title || h("span", { class: "unseen" }, t("actions")))))), body));
  element.add = (more) => body.append(...more.map(make));
  return element;
}

function kind(column) {
  return [column.number && "number", column.wide && "wide", column.tight && "tight"].filter(Boolean).join(" ") || null;
}

/** A table that goes on: `more(after)` gives {rows, next}. */
export async function longTable(caption, columns, ask, nothing) {
  // A search that finds little has pages without a row.
  const more = async (after) => {
    const page = await ask(after);
    return page.rows.length || !page.next ? page : more(page.next);
  };
  const first = await more();
  if (!first.rows.length) return nothing;
  const shown = table(caption, columns, first.rows);
  let [next, count] = [first.next, first.rows.length];
  const note = h("span", { class: "quiet" });
  const button = h("button", { type: "button" }, t("more"));
  const tell = () => {
    note.textContent = next ? t("rows.so-far", { count }) : t("rows.all", { count });
    button.hidden = !next;
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const page = await more(next);
      shown.add(page.rows);
      next = page.next;
      count += page.rows.length;
      tell();
      say(note.textContent);
    } catch (error) {
      say(error.message);
      note.textContent = error.message;
    }
    button.disabled = false;
  });
  tell();
  return h("div", {}, shown, h("div", { class: "more" }, note, button));
}

/** A list of names with values. */
export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value ?? "–"))));
}

/**
 * Asks before something is changed. `fields` are inputs that go into the dialog, `done(values)` does it and returns what to tell.
 */
export function confirm({ title, text, action, danger = false, fields = [], check = () => true, done }) {
  const fault = h("p", { class: "fault", role: "alert" });
  const cancel = h("button", { type: "button" }, t("cancel"));
  const go = h("button", { type: "submit", class: danger ? "danger" : "primary" }, action);
  const inputs = fields.map(({ name, label, hint }, index) =>
    h("div", { class: "field" }, h("label", { for: `dialog-${index}` }, label),
      h("input", { id: `dialog-${index}`, name, maxlength: 200, autocomplete: "off" }), hint && h("p", { class: "quiet small" }, hint)));
  const form = h("form", { method: "dialog" }, h("h2", { id: "dialog-title" }, title), [text].flat().map((part) => (part instanceof Node ? part : h("p", {}, part))), inputs, fault,
    h("div", { class: "buttons" }, cancel, go));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  const values = () => Object.fromEntries(new FormData(form));
  const revise = () => { go.disabled = !check(values()); };
  form.addEventListener("input", revise);
  revise();
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    fault.textContent = "";
    try {
      const told = await done(values());
      dialog.close();
      say(told);
    } catch (error) {
      fault.textContent = error.message;
      go.disabled = false;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  (inputs.length ? form.querySelector("input") : cancel).focus();
}

/** A box that tells what was done. */
export function notice(text, tone = "good") {
  return h("p", { class: `notice ${tone}`, role: "status" }, text);
}

/** Tells below the view's head what was done; the box. */
export function announce(text, tone = "good") {
  const told = notice(text, tone);
  document.querySelector(".view .head")?.after(told);
  return told;
}

/** Fills a part of a view when a promise is kept, and tells what is wrong otherwise. `isAgain` leaves what is shown until then. */
export async function show(place, make, isAgain = false) {
  if (!isAgain) put(place, waiting());
  try {
    put(place, await make());
  } catch (error) {
    if (error?.name !== "AbortError") put(place, recovering(error, () => show(place, make, true)));
  }
  return place;
}

const AWAY = [0, 503];
const PAUSE = 5000;

/**
 * As `trouble`. While the service or its store is away, `again` is called by itself as well, so that the view recovers with it. A help desk, which
 * counts requests, is asked again by a person alone.
 */
export function recovering(error, again) {
  const told = trouble(error, again);
  if (!AWAY.includes(error?.status) || isOfHelpDesk(error)) return told;
  told.append(h("p", { class: "quiet small" }, t("error.again")));
  const wait = () => setTimeout(() => {
    if (!told.isConnected) return;
    if (document.hidden) wait();
    else again();
  }, PAUSE);
  wait();
  return told;
}

/** Which app: a field for the configured ones. */
export function appField(apps, chosen, id = "app") {
  return h("div", { class: "field" }, h("label", { for: id }, t("app")),
    h("select", { id, name: "app_id" }, apps.map((app) => h("option", { value: app, selected: app === chosen }, app))));
}
