// The service's time. The clock of the browser's machine may be wrong, and may be set while the page is open.

const DIFFERENCE = 60;
let known = null;

/** Takes the time of an answer, which its header Date tells to the second. */
export function hear(response) {
  const at = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(at)) known = { at: at + 500, heard: performance.now() };
}

/** The service's time now, in seconds of Unix time. */
export function serviceNow() {
  return (known ? known.at + performance.now() - known.heard : Date.now()) / 1000;
}

/** How many seconds the browser's clock is ahead, or behind when negative; null while the difference does not matter. */
export function difference() {
  const seconds = Date.now() / 1000 - serviceNow();
  return known && Math.abs(seconds) >= DIFFERENCE ? seconds : null;
}
