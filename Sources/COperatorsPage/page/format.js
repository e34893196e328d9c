// Numbers, times and durations in the reader's language.

import { serviceNow } from "./clock.js";
import { language, t } from "./words.js";
import { h } from "./dom.js";

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

/** Seconds as a duration, such as 3 min or 2 d 4 h. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const all = Math.max(0, Math.round(seconds));
  if (all < 60) return `${all} ${t("unit.s")}`;
  if (all < 3600) return `${Math.floor(all / 60)} ${t("unit.min")}`;
  if (all < 86400) return pair(all, 3600, "unit.h", 60, "unit.min");
  return pair(all, 86400, "unit.d", 3600, "unit.h");
}

function pair(all, big, bigUnit, small, smallUnit) {
  const rest = Math.floor((all % big) / small);
  return `${Math.floor(all / big)} ${t(bigUnit)}${rest ? ` ${rest} ${t(smallUnit)}` : ""}`;
}

/** Bytes, such as 31 MB. */
export function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let step = 0;
  while (value >= 1000 && step < units.length - 1) {
    value /= 1000;
    step += 1;
  }
  return `${rough(value)} ${units[step]}`;
}

/** A moment as an element: date and time here, with the exact one as its title. Takes RFC 3339 or Unix seconds. */
export function time(moment, { seconds = true } = {}) {
  const date = typeof moment === "number" ? new Date(moment * 1000) : new Date(moment ?? NaN);
  if (Number.isNaN(date.getTime())) return h("span", {}, "–");
  const isThisYear = date.getFullYear() === new Date(serviceNow() * 1000).getFullYear();
  const shape = { ...(isThisYear ? {} : { year: "numeric" }), month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", ...(seconds ? { second: "2-digit" } : {}) };
  const text = format(`t${seconds}${isThisYear}`, (to) => new Intl.DateTimeFormat(to, { ...shape, hour12: false })).format(date);
  return h("time", { datetime: date.toISOString(), title: date.toISOString() }, text);
}

/** How long ago a moment was by the service’s clock, or how long it is until then. */
export function ago(moment) {
  const date = typeof moment === "number" ? moment : Date.parse(moment ?? "") / 1000;
  if (Number.isNaN(date)) return "–";
  const seconds = serviceNow() - date;
  return seconds >= -1 ? t("time.ago", { duration: duration(seconds) }) : t("time.ahead", { duration: duration(-seconds) });
}
