// Numbers, times and durations in the reader's language.

import { serviceNow } from "./clock.js";
import { language, t } from "./words.js";
import { h } from "./dom.js";

// In the order of `TextFragments.duration`, which writes the service's sentences.
const DURATIONS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
// RFC 3339 as the service writes it; years beyond 9999 have words instead.
const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;
const formats = new Map();

function format(key, make) {
  const name = `${language()} ${key}`;
  if (!formats.has(name)) formats.set(name, make(language()));
  return formats.get(name);
}

/** A number with separators. */
export function number(value, digits = 0) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return format(`n${digits}`, (to) => new Intl.NumberFormat(to, { maximumFractionDigits: digits })).format(value);
}

/** A number in three digits or so: 0.42, 8.1, 310. */
export function rough(value) {
  return number(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** Seconds as a latency, such as 140 µs or 2.1 ms. */
export function latency(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 0.001) return `${rough(seconds * 1e6)} ${t("unit.us")}`;
  if (seconds < 1) return `${rough(seconds * 1e3)} ${t("unit.ms")}`;
  return `${rough(seconds)} ${t("unit.s")}`;
}

/** Seconds as a duration in the largest unit that keeps it readable, such as 90 seconds or 3 days: as the service says it in sentences. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const all = Math.max(0, Math.round(seconds));
  const [unit, size] = DURATIONS.find(([, size]) => all >= 2 * size) ?? DURATIONS.at(-1);
  return t(`duration.${unit}`, { count: Math.floor(all / size) });
}

/** Bytes, such as 31 MB. */
export function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let step = 0;
  while (value >= 1000 && step < units.length - 1) {
    value /= 1000;
    step += 1;
  }
  return `${rough(value)} ${t(`unit.${units[step]}`)}`;
}

/** A moment as an element: date, time and zone of this browser, with the exact one as its title. Takes RFC 3339 or Unix seconds. */
export function time(moment) {
  const date = typeof moment === "number" ? new Date(moment * 1000) : new Date(moment ?? NaN);
  if (Number.isNaN(date.getTime())) return h("span", {}, "–");
  return h("time", { datetime: date.toISOString(), title: date.toISOString() }, local(date));
}

/** The year is left out when it is this one. The zone is named as its distance from UTC, because its letters mean several zones. */
function local(date) {
  const isThisYear = date.getFullYear() === new Date(serviceNow() * 1000).getFullYear();
  const shape = { ...(isThisYear ? {} : { year: "numeric" }), month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" };
  const form = format(`t${isThisYear}`, (to) => new Intl.DateTimeFormat(to, { ...shape, hourCycle: "h23", timeZoneName: "shortOffset" }));
  return form.format(date).replace(/GMT(\+0$)?/, "UTC");
}

/** A text of the service for its readers: each moment in it as `time` shows it. */
export function prose(text) {
  return text.split(MOMENT).map((part, index) => (index % 2 ? time(part) : part));
}

/** As `prose`, where no elements can stand. */
export function plainProse(text) {
  return text.split(MOMENT).map((part, index) => (index % 2 ? local(new Date(part)) : part)).join("");
}

/** How long ago a moment was by the service’s clock, or how long it is until then. */
export function ago(moment) {
  const date = typeof moment === "number" ? moment : Date.parse(moment ?? "") / 1000;
  if (Number.isNaN(date)) return "–";
  const seconds = serviceNow() - date;
  return seconds >= -1 ? t("time.ago", { duration: duration(seconds) }) : t("time.ahead", { duration: duration(-seconds) });
}
