// Concurrent calls of the clients that send them as lists, each against a real server behind a proxy: every call gets
// the answer of a model, and its effect is stored once.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { errorCatalogue } from "../../src/domain/error.ts";
import { allScopes } from "../../src/domain/scope.ts";
import { attemptOf, type Choose, startFaultyProxy } from "../client/faulty-proxy.ts";
import { Model } from "../conformance/model.ts";
import { typeNamed } from "../conformance/scene.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { makeRandom, type Random } from "../support/random.ts";
import { type Server, startServer } from "../support/server.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { type Driver, startDriver, subjects } from "./subject.ts";

const callers = 64;
const callsOfEach = 8;
const timeoutMs = 1_500;
/** The synchronous client sends a request for each call. */
const concurrent = subjects.filter(({ name }) => name !== "Python");
const folder = makeTempFolder();
let server: Server;

before(async () => {
  server = await startServer({ environment: { RATE_LIMIT_PER_SECOND: "0" } });
});
after(async () => {
  await server.stop();
  removeFolder(folder);
});

interface Call {
  readonly op: "add" | "update";
  readonly collection: "transactions";
  readonly records: Readonly<Record<string, unknown>>;
}

interface Answered {
  readonly ok?: { readonly write_count: number; readonly message: string };
  readonly error?: { readonly code: number; readonly status: number; readonly fields: unknown[] };
}

const invalidStatus = "LOST";
const { example } = typeNamed("transaction");

/** A caller writes to two records of its own, so that its calls have one order in every language. */
function callsOf(random: Random, caller: string): readonly Call[] {
  return Array.from({ length: callsOfEach }, () => {
    const tx_id = `${caller}-${random.integer(0, 1)}`;
    const status = random.chance(0.1) ? invalidStatus : random.pick(["PENDING", "SETTLED"]);
    const change = { tx_id, timestamp: "2026-01-01T00:00:00Z", status };
    return random.chance(0.5)
      ? { op: "add", collection: "transactions", records: { ...example, ...change } }
      : { op: "update", collection: "transactions", records: change };
  });
}

function requireVerdict(model: Model, { op, records }: Call, { ok, error }: Answered): void {
  const isInvalid = records["status"] === invalidStatus;
  const written = isInvalid
    ? undefined
    : model.write("transaction", [records], { mode: op, lenient: false }).drafts[0];
  if (written === "created" || written === "updated") {
    const done = written === "created" ? "added" : "updated";
    assert.deepEqual([ok?.write_count, ok?.message], [1, `1 transaction was ${done}.`]);
    return;
  }
  const name = (written ?? "validation_failed") as keyof typeof errorCatalogue;
  const { code } = errorCatalogue[name];
  const field = isInvalid ? "status" : "tx_id";
  assert.deepEqual(error && [error.code, error.status, error.fields], [
    code,
    Math.floor(code / 100),
    [field],
  ]);
}

async function requireStored(model: Model, { organizationId }: Customer): Promise<void> {
  await server.operate(async ({ store }) => {
    for (const [name, changes] of model.records) {
      const [resourceType = "", resourceId = ""] = name.split("/");
      const history = await store.readHistory({ organizationId, resourceType, resourceId });
      const statuses = history?.changes.map(({ payload }) => JSON.parse(payload).status);
      assert.deepEqual(
        statuses,
        changes.map((change) => change["status"]),
        name,
      );
    }
  });
}

/** Returns the requests that wrote. */
async function play(driver: Driver, choose: Choose) {
  const customer = await server.operate((app) => makeCustomer(app, server.client));
  const proxy = await startFaultyProxy([server.address], { choose, delayMs: 2 * timeoutMs });
  try {
    const { apiKey: api_key, organizationId: organization_id } = customer;
    const limits = { timeout_ms: timeoutMs, retry_for_ms: 120_000, scopes: allScopes };
    const base_url = proxy.address;
    await driver.ask({ op: "open", base_url, api_key, organization_id, ...limits });
    const random = makeRandom(11);
    const all = Array.from({ length: callers }, (_, at) => callsOf(random, `caller-${at}`));
    const { ok: outcomes } = await driver.ask({ op: "concurrent", callers: all });
    const model = new Model();
    for (const [at, calls] of all.entries()) {
      const answered = (outcomes as Answered[][])[at] ?? [];
      assert.equal(answered.length, calls.length);
      for (const [nth, call] of calls.entries()) requireVerdict(model, call, answered[nth] ?? {});
    }
    await requireStored(model, customer);
  } finally {
    await proxy.close();
  }
  return proxy.seen.filter(({ path }) => path.startsWith("/v2/"));
}

describe("concurrent calls", () => {
  for (const subject of concurrent) {
    it(`of the client for ${subject.name} are lists, and get the answers of single ones`, async (context) => {
      const missing = await subject.missing();
      if (missing !== undefined) {
        context.skip(missing);
        return;
      }
      const driver = startDriver(await subject.prepare(folder));
      try {
        const plain = await play(driver, () => "none");
        assert.ok(plain.length < (callers * callsOfEach) / 4, `${plain.length} requests`);
        const lost = await play(driver, (passing) =>
          attemptOf(passing) === 1 && passing.path.startsWith("/v2/") ? "drop reply" : "none",
        );
        assert.ok(lost.length > 1);
      } finally {
        await driver.stop();
      }
    });
  }
});
