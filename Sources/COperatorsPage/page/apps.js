// The configured apps.

import { ask } from "./api.js";

async function configuration(signal) {
  return (await ask("/v1/configuration", { signal })).configuration;
}

/** The apps as the configuration shows them, in its order. */
async function configured(signal) {
  return ((await configuration(signal)).apps ?? []).filter((app) => app.app_id);
}

/** The views that have nothing to show: without an app of Sendbird Desk, or without bots. */
export async function idleViews(signal) {
  const { apps, bots } = await configuration(signal);
  const ofSendbird = (apps ?? []).some((app) => app.help_desk === "sendbird") ? [] : ["tickets", "sessions"];
  return bots?.length ? ofSendbird : [...ofSendbird, "bots"];
}

/** Their names, in the order of the configuration. */
export async function apps(signal) {
  return (await configured(signal)).map((app) => app.app_id);
}

/** The apps of Sendbird Desk, each with its settings. */
export async function appsOfSendbird(signal) {
  return (await configured(signal)).filter((app) => app.help_desk === "sendbird");
}
