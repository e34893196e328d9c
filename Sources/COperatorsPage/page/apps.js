// The configured apps.

import { ask } from "./api.js";

/** Their names, in the order of the configuration. */
export async function apps(signal) {
  const { configuration } = await ask("/v1/configuration", { signal });
  return (configuration.apps ?? []).map((app) => app.app_id).filter(Boolean);
}
