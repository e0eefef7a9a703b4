// Verifies webhooks by Standard Webhooks 1.0: `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with the public key.

/** The message was not sent by the service, was altered, or is not recent. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

export interface WebhookVerification {
  /** The headers of the request, as `Headers` or in the form of Node. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Secrets (`whsec_…`), public keys (`whpk_…`), or both. One of them has to match. */
  readonly keys: string | readonly string[];
}

const toleranceSeconds = 300;
/** Several keys may sign, each with two algorithms. */
const signaturesMax = 16;

const keyBytes = 32;
const kinds = [
  { prefix: "whsec_", version: "v1", algorithm: { name: "HMAC", hash: "SHA-256" } },
  { prefix: "whpk_", version: "v1a", algorithm: { name: "Ed25519" } },
] as const;

/**
 * Resolves to the message. `body`: as it arrived, before parsing. Throws WebhookVerificationError, and TypeError for an
 * invalid key.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  { headers, keys }: WebhookVerification,
): Promise<unknown> {
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ").slice(0, signaturesMax);
  const ageSeconds = Date.now() / 1_000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookVerificationError("The message is not recent.");
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const key of typeof keys === "string" ? [keys] : keys) {
    if (await matchesAny(key, signatures, content)) return JSON.parse(text) as unknown;
  }
  throw new WebhookVerificationError("No signature matches.");
}

async function matchesAny(
  key: string,
  signatures: readonly string[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const kind = kinds.find(({ prefix }) => key.startsWith(prefix));
  const bytes = fromBase64(key.slice(kind?.prefix.length));
  if (kind === undefined || bytes?.length !== keyBytes) {
    throw new TypeError("A key must be the secret (whsec_…) or the public key (whpk_…).");
  }
  const { algorithm, version } = kind;
  const imported = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  for (const signature of signatures) {
    const [of, text = ""] = signature.split(",", 2);
    const sent = of === version ? fromBase64(text) : undefined;
    if (sent === undefined) continue;
    if (await crypto.subtle.verify(algorithm, imported, sent, content)) return true;
  }
  return false;
}

function readHeader(headers: WebhookVerification["headers"], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === "string") return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
