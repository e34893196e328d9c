// The addresses of views, which can be sent to a colleague.

/** The address of a view with the values that are given. */
export function address(view, values = {}) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/** The name and the values of the address in use. */
export function place() {
  const [name, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { name, values: Object.fromEntries(new URLSearchParams(query)) };
}
