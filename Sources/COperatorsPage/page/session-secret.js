// The session's secret, which the service requires beside the cookie. Browsers send the cookie to every port of a host, but restrict this
// storage and this channel to one origin, which includes the port. The storage survives a reload; a new tab gets the secret from another tab.

const NAME = "deskgate-session";
const tabs = new BroadcastChannel(NAME);
let onGiven = () => {};

// Another tab asks with null.
tabs.addEventListener("message", ({ data: secret }) => {
  if (secret !== null) onGiven(secret);
  else if (sessionSecret() !== null) giveSecret();
});

/** The secret that this tab has; null for none. */
export function sessionSecret() {
  return sessionStorage.getItem(NAME);
}

/** Keeps the secret of a session. */
export function keepSecret(secret) {
  sessionStorage.setItem(NAME, secret);
}

/** Gives the tab's secret to the other tabs. */
export function giveSecret() {
  tabs.postMessage(sessionSecret());
}

/** Forgets the secret of a session that was ended here. */
export function dropSecret() {
  sessionStorage.removeItem(NAME);
}

/** Sets what is done with a secret that another tab gives. Its session may have ended. */
export function whenGiven(action) {
  onGiven = action;
}

/** Asks the other tabs for the secret. */
export function askTabs() {
  tabs.postMessage(null);
}
