// The types of deskgate.mjs; its comments say what each function does.

/** Why a key or an event is refused, or what is wrong with an argument. */
export class DeskgateError extends Error {
  /** A word of the table in clients/README.md. */
  readonly reason: string;
  constructor(reason: string, message: string);
}

/** Makes a security key. `lifetime` and `now` are in seconds; `now` and `salt` are for tests. */
export function mintSecurityKey(
  appId: string,
  userId: string,
  keyId: number,
  secret: string,
  options?: { lifetime?: number; now?: number; salt?: Uint8Array },
): string;

/** Throws DeskgateError unless the key is genuine and in force; `secrets` has the app's secrets by key id. */
export function verifySecurityKey(
  appId: string,
  userId: string,
  securityKey: string,
  secrets: Record<number, string>,
  options?: { now?: number },
): void;

/** Throws DeskgateError unless the service has signed this request; `body` is raw, as it was received. */
export function verifyEvent(
  headers: Record<string, string | string[] | undefined> | { entries(): Iterable<[string, string]> },
  body: string | Uint8Array,
  secrets: string[],
  options?: { now?: number; tolerance?: number },
): void;
