// The words of the page in the reader's language.

import { en } from "./words-en.js";
import { ru } from "./words-ru.js";

const all = { en, ru };
const KEPT = "deskgate-language";
let current = kept() ?? ((navigator.language ?? "").toLowerCase().startsWith("ru") ? "ru" : "en");

function kept() {
  try {
    const value = localStorage.getItem(KEPT);
    return value in all ? value : null;
  } catch {
    return null;
  }
}

/** The language in use: en or ru. */
export function language() {
  return current;
}

/** Changes the language. */
export function speak(next) {
  current = next in all ? next : "en";
  try {
    localStorage.setItem(KEPT, current);
  } catch {
    // Without storage it lasts until the page is closed.
  }
}

/** A text; `{name}` in it is replaced by a value, and with `count` the plural is chosen. */
export function t(key, values = {}) {
  let text = all[current][key] ?? en[key];
  if (text === undefined) return key;
  if (typeof text === "object") text = text[new Intl.PluralRules(current).select(values.count)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => (name in values ? values[name] : `{${name}}`));
}

/** A text, or null when the page has no word for the key. */
export function word(key) {
  return all[current][key] ?? en[key] ?? null;
}
