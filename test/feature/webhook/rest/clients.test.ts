// The clients verify what the service signs, and nothing else; all languages decide the same.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, describe, it } from "node:test";
import { makeWebhookKeys } from "../../../../src/feature/webhook/webhook-keys.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { type Driver, startDriver, subjects } from "../../../clients/subject.ts";

const service = makeWebhookKeys(generateKeyPairSync("ed25519").privateKey);
const { secret, publicKey } = service.secretOf("whe_1");
const body = '{"type":"sluice.webhook.test","data":{"organization_id":"Zürich"}}';

interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signed so many seconds ago. */
function message(ago = 0): Message {
  const timestamp = Math.floor(Date.now() / 1_000) - ago;
  const signature = service.sign("whe_1", { id: "msg_1", timestamp, body });
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(timestamp) };
  return { body, headers: { ...headers, "webhook-signature": signature } };
}

function withHeader(name: string, change: (value: string) => string): Message {
  const sent = message();
  return { body, headers: { ...sent.headers, [name]: change(sent.headers[name] ?? "") } };
}

/** Each signature with one bit of it flipped. */
function flipped(signatures: string, bit: number): string {
  const flip = (signature: string) => {
    const [version = "", text = ""] = signature.split(",");
    const bytes = Buffer.from(text, "base64");
    const at = bit % (bytes.length * 8);
    bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
    return `${version},${bytes.toString("base64")}`;
  };
  return signatures.split(" ").map(flip).join(" ");
}

const swap = (text: string) =>
  text.replace(/v1a?,/g, (version) => (version === "v1," ? "v1a," : "v1,"));

const good: readonly (readonly [title: string, keys: readonly string[], sent: () => Message])[] = [
  ["with the secret", [secret], message],
  ["with the public key", [publicKey], message],
  ["with one of several keys", [service.secretOf("whe_2").secret, publicKey], message],
  ["after some minutes", [secret], () => message(240)],
  ["with a clock that is behind", [secret], () => message(-240)],
  [
    "beside a signature of another kind",
    [secret],
    () => withHeader("webhook-signature", (signatures) => `v2,AAAA not,!! ${signatures}`),
  ],
];

const both = [secret, publicKey];
const bad: typeof good = [
  ["of another endpoint", Object.values(service.secretOf("whe_2")), message],
  ["that is altered", both, () => ({ ...message(), body: body.replace("Z", "z") })],
  ["with another id", both, () => withHeader("webhook-id", () => "msg_2")],
  [
    "with another time",
    both,
    () => withHeader("webhook-timestamp", (at) => String(Number(at) + 1)),
  ],
  ["that is old", both, () => message(400)],
  ["from the future", both, () => message(-400)],
  ["without a time", both, () => withHeader("webhook-timestamp", () => "soon")],
  [
    "with a time that no number can hold",
    both,
    () => withHeader("webhook-timestamp", () => "9".repeat(400)),
  ],
  ["with an id that is not text", both, () => withHeader("webhook-id", () => "\ud800")],
  ["without a signature", both, () => withHeader("webhook-signature", () => "")],
  ["with the signatures of each other's kind", both, () => withHeader("webhook-signature", swap)],
  [
    "beyond many signatures",
    both,
    () => withHeader("webhook-signature", (signatures) => `${"v1,AAAA ".repeat(16)}${signatures}`),
  ],
];

describe("the clients in all languages", { concurrency: true }, () => {
  const folder = makeTempFolder();
  for (const subject of subjects) {
    describe(subject.name, async () => {
      let driver: Driver | undefined;
      const missing = await subject.missing();
      if (missing === undefined) driver = startDriver(await subject.prepare(folder));
      after(() => driver?.stop());

      async function verify(keys: readonly string[], sent: Message): Promise<unknown> {
        return await driver?.ask({ op: "verify", keys, ...sent });
      }

      function check(title: string, work: () => Promise<void>): void {
        it(title, async (context) => {
          if (missing === undefined) await work();
          else context.skip(missing);
        });
      }

      for (const [title, keys, sent] of good) {
        check(`verifies a message ${title}`, async () => {
          assert.deepEqual(await verify(keys, sent()), { ok: { verified: true } });
        });
      }
      for (const [title, keys, sent] of bad) {
        check(`refuses a message ${title}`, async () => {
          assert.deepEqual(await verify(keys, sent()), { ok: { verified: false } });
        });
      }

      check("refuses a signature with any bit flipped", async () => {
        for (let bit = 0; bit < 512; bit += 7) {
          const sent = withHeader("webhook-signature", (signatures) => flipped(signatures, bit));
          assert.deepEqual(await verify(both, sent), { ok: { verified: false } }, `bit ${bit}`);
        }
      });

      check("says that a key is none", async () => {
        for (const key of ["", "whsec_", "whpk_AAAA", "whpk_!!", "other", secret.slice(6)]) {
          const outcome = (await verify([key], message())) as { error?: { kind?: string } };
          assert.equal(outcome.error?.kind, "argument", key);
        }
      });
    });
  }
});
