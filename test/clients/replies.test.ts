// What the clients make of each reply, whatever is between them and the service: the same in all languages. One server
// answers from a table, and each client says what it got. What can't be sent as it was meant is refused before anything
// is sent.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { makeTempFolder } from "../support/temp-folder.ts";
import type { Command, Outcome } from "./scenarios.ts";
import { type Driver, startDriver, subjects } from "./subject.ts";

interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

const folder = makeTempFolder();
const accessToken = JSON.stringify({ token: "t", expiry: 9_999_999_999, organization_id: "o" });
let current: Reply = { status: 200, body: "" };
let requests = 0;

const server = createServer((request, response) => {
  request.resume().once("end", () => {
    const isToken = request.url === "/auth/token";
    if (!isToken) requests += 1;
    const reply = isToken ? { status: 200, body: accessToken } : current;
    const { status, type = "application/json", body } = reply;
    response.writeHead(status, { "content-type": type }).end(body);
  });
});

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const ours = { code: 40999, message: "No." };
const item = { field: "amount", message: "must be a number." };
const isOurs = { kind: "refused", code: 40999, message: "No.", fields: [], requests: 1 };
const another = "Something other than Sluice answered with status 400;";
const isOther = { kind: "refused", code: 400, message: another, fields: [], requests: 1 };
/** The client tries again, for the little time that it has. */
const isTruncated = { kind: "network", code: 0, fields: [] };

/** Refusals with status 400. */
const refusals: readonly (readonly [body: unknown, expected: Outcome])[] = [
  [ours, isOurs],
  [{ ...ours, errors: null }, isOurs],
  [{ ...ours, more: [1] }, isOurs],
  [
    { ...ours, errors: [item, { field: "x" }] },
    { ...isOurs, fields: ["amount", "x"], message: "No. amount must be a number." },
  ],
  [[], isOther],
  [[ours], isOther],
  [null, isOther],
  ["Forbidden", isOther],
  [{}, isOther],
  [{ ...ours, code: "40999" }, isOther],
  [{ ...ours, code: 409.5 }, isOther],
  [{ ...ours, code: 0 }, isOther],
  [{ ...ours, code: true }, isOther],
  [{ ...ours, message: "" }, isOther],
  [{ ...ours, message: 5 }, isOther],
  [{ ...ours, errors: {} }, isOther],
  [{ ...ours, errors: { amount: "wrong" } }, isOther],
  [{ ...ours, errors: "amount" }, isOther],
  [{ ...ours, errors: ["amount"] }, isOther],
];

const others: readonly (readonly [reply: Reply, expected: Outcome])[] = [
  [{ status: 400, body: '{"code":409' }, isTruncated],
  [{ status: 400, body: "" }, isTruncated],
  [{ status: 400, type: "text/html", body: "<html></html>" }, isOther],
  [{ status: 400, type: "text/plain", body: JSON.stringify(ours) }, isOurs],
  [{ status: 201, body: "[]" }, isTruncated],
  [{ status: 201, body: "null" }, isTruncated],
  [{ status: 204, body: "" }, isTruncated],
];

const replies = [
  ...refusals.map(
    ([body, expected]) => [{ status: 400, body: JSON.stringify(body) }, expected] as const,
  ),
  ...others,
];

/** With a key, so that the clients send it alone. */
const add: Command = {
  op: "add",
  collection: "transactions",
  key: "k",
  records: { tx_id: "a", timestamp: "2026-01-01T00:00:00Z" },
};

/** The other arguments that the types of Go exclude are in the tests of their languages. */
const unsendable: readonly Command[] = ["", null].flatMap((id) => [
  { op: "exists", collection: "transactions", id },
  { op: "delete", collection: "persons", id, reason: "a test" },
  { op: "delete", collection: "persons", id: "p", reason: id },
  { op: "status", id },
  { op: "wait", id },
]);

async function open(driver: Driver): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const identity = { api_key: "k", organization_id: "o", scopes: ["transactions:write"] };
  const limits = { timeout_ms: 60_000, retry_for_ms: 20 };
  await driver.ask({ op: "open", base_url: `http://127.0.0.1:${port}`, ...identity, ...limits });
}

describe("a reply", () => {
  for (const subject of subjects) {
    it(`means the same to every client: ${subject.name}`, async (context) => {
      const missing = await subject.missing();
      if (missing !== undefined) {
        context.skip(missing);
        return;
      }
      const driver = startDriver(await subject.prepare(folder));
      try {
        await open(driver);
        for (const [reply, expected] of replies) {
          [current, requests] = [reply, 0];
          const { error } = (await driver.ask(add)) as { readonly error: Outcome };
          const { message } = error as { readonly message: string };
          const { message: beginning = "" } = expected as { readonly message?: string };
          const shown = {
            ...error,
            message: message.slice(0, beginning.length),
            requests,
          };
          assert.partialDeepStrictEqual(shown, expected, JSON.stringify([reply, error]));
        }
        requests = 0;
        for (const command of unsendable) {
          const { error } = (await driver.ask(command)) as {
            readonly error: { readonly kind: string; readonly message: string };
          };
          assert.equal(error.kind, "argument", JSON.stringify([command, error]));
          assert.match(error.message, /must be a text that is not empty/);
        }
        assert.equal(requests, 0);
      } finally {
        await driver.stop();
      }
    });
  }
});
